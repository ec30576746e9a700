/** Waits for all of it, then fails if any of it did: a retry never meets work that is still under way. */
export async function allOver(work: readonly Promise<void>[]): Promise<void> {
  const results = await Promise.allSettled(work)
  for (const result of results) if (result.status === 'rejected') throw result.reason
}
