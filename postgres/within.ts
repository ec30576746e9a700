/** Query cancelled: what callers already know as "away or too slow". */
const queryCancelled = '57014'

/** The answer, or an error after so long: a hung server, or a queue for its connections, must not hang a request. */
export async function within<T>(limitMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(Object.assign(new Error(`Postgres did not answer within ${limitMs} ms`), { code: queryCancelled }))
    }, limitMs)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
