/** A class has a budget of its own: the key's limit per minute, times the class's factor. */
export const rateLimitClasses = { default: 1, events: 20 } as const
export type RateLimitClass = keyof typeof rateLimitClasses
