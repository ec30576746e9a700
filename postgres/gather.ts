export interface GatherOptions {
  /** How long a call waits for others to share its round trip with; 0 is this turn of the event loop. */
  waitMs?: number
  maxItems?: number
  /** Round trips under way at once; while they are, the next batch grows. */
  maxFlights?: number
}

interface Call<Item, Found> {
  items: readonly Item[]
  resolve: (found: Found) => void
  reject: (error: unknown) => void
}

/** Lets concurrent calls share round trips: `run` gets the items of many calls, each call gets the whole finding. */
export function gather<Item, Found>(
  run: (items: Item[]) => Promise<Found>,
  { waitMs = 1, maxItems = 1000, maxFlights = 2 }: GatherOptions = {},
): (items: readonly Item[]) => Promise<Found> {
  let waiting: Call<Item, Found>[] = []
  let isScheduled = false
  let flights = 0

  const take = (): Call<Item, Found>[] => {
    let count = 0
    const end = waiting.findIndex((call, at) => {
      count += call.items.length
      return at > 0 && count > maxItems
    })
    const calls = end < 0 ? waiting : waiting.slice(0, end)
    waiting = end < 0 ? [] : waiting.slice(end)
    return calls
  }

  const schedule = (afterMs: number) => {
    if (isScheduled) return
    isScheduled = true
    if (afterMs > 0) setTimeout(fly, afterMs)
    else setImmediate(fly)
  }

  const fly = () => {
    isScheduled = false
    while (waiting.length > 0 && flights < maxFlights) {
      const calls = take()
      flights++
      void run(calls.flatMap((call) => call.items))
        .then(
          (found) => {
            for (const call of calls) call.resolve(found)
          },
          (error) => {
            for (const call of calls) call.reject(error)
          },
        )
        .finally(() => {
          flights--
          if (waiting.length > 0) schedule(0)
        })
    }
  }

  return (items) =>
    new Promise((resolve, reject) => {
      waiting.push({ items, resolve, reject })
      if (flights < maxFlights) schedule(waitMs)
    })
}
