/** What is often there at once: a promise each, and a turn of its own, would cost more than the answer. */
export type Prompt<T> = T | Promise<T>

/** Goes on at once with what is there, else as soon as it is. */
export const whenThere = <T, Next>(value: Prompt<T>, next: (value: T) => Prompt<Next>): Prompt<Next> =>
  value instanceof Promise ? value.then(next) : next(value)
