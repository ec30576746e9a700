/** What a tenant's answers hold: text by the name of its field, and by the path that showed it. */
export interface Harvest {
  take(path: string, answer: unknown, choice?: string): void
  byName(name: string): string[]
  /** Values that could stand in a path: those of the list above it first, then of that name, then all that name a thing. */
  idsFor(path: string, name: string): string[]
  texts(): Set<string>
}

const isNaming = (name: string) => /(^|_)(id|ids|key|ref|token)$/.test(name)

export function harvest(): Harvest {
  const found: { path: string; choice: string; name: string; text: string }[] = []
  const visit = (from: { path: string; choice: string }, name: string, value: unknown) => {
    if (typeof value === 'string') found.push({ ...from, name, text: value })
    else if (Array.isArray(value)) for (const item of value) visit(from, name, item)
    else if (value !== null && typeof value === 'object') {
      for (const [key, inner] of Object.entries(value)) visit(from, key, inner)
    }
  }
  const unique = (texts: string[]) => [...new Set(texts)]
  return {
    take: (path, answer, choice = '') => visit({ path, choice }, '', answer),
    byName: (name) => unique(found.filter((one) => one.name === name).map(({ text }) => text)),
    idsFor(path, name) {
      const above = path.slice(0, path.indexOf(`/{${name}}`))
      const near = found.filter((one) => one.path === above && isNaming(one.name))
      const same = found.filter((one) => one.name === name)
      const others = found.filter((one) => isNaming(one.name))
      // One a field first: a few of every kind beat many of one.
      const kinds = Map.groupBy(others, (one) => `${one.name} ${one.choice}`)
      const spread = [0, 1].flatMap((at) => [...kinds.values()].flatMap((group) => group.slice(at, at + 1)))
      return unique([...near.slice(0, 8), ...same.slice(0, 6), ...spread].map(({ text }) => text)).filter(Boolean)
    },
    texts: () => new Set(found.map(({ text }) => text)),
  }
}
