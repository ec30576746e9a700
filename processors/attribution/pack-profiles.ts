export interface Pack {
  profiles: string[]
  /** In how many runs the pack is derived. */
  runs: number
  /** In how many slices each run is worked off. */
  slices: number
}

export interface ProfileSize {
  profile_id: string
  subjects: number
  touches: number
}

/** What is looked up once for a run, and what one of its slices holds in memory. */
export interface Limits {
  subjectsPerRun: number
  subjectsPerSlice: number
  touchesPerSlice: number
}

/** Within the 1.3 GB that the smallest engine grants a statement. */
export const limits: Limits = { subjectsPerRun: 300_000, subjectsPerSlice: 50_000, touchesPerSlice: 1_000_000 }

/** Small profiles share a run up to its size; a profile that is larger has runs of its own. */
export function packProfiles(sizes: ProfileSize[], within: Limits = limits): Pack[] {
  const packs: { profiles: ProfileSize[]; runs: number }[] = []
  let room = 0
  for (const profile of sizes) {
    if (profile.subjects > within.subjectsPerRun) {
      packs.unshift({ profiles: [profile], runs: Math.ceil(profile.subjects / within.subjectsPerRun) })
      continue
    }
    if (profile.subjects > room) {
      packs.push({ profiles: [], runs: 1 })
      room = within.subjectsPerRun
    }
    packs.at(-1)!.profiles.push(profile)
    room -= profile.subjects
  }
  return packs.map(({ profiles, runs }) => ({
    profiles: profiles.map(({ profile_id }) => profile_id),
    runs,
    slices: slicesOf(sum(profiles, 'subjects') / runs, sum(profiles, 'touches') / runs, within),
  }))
}

/** As many slices as keep both subjects and touches of each within their limits. */
export const slicesOf = (
  subjects: number,
  touches: number,
  { subjectsPerSlice, touchesPerSlice }: Limits = limits,
): number => Math.max(1, Math.ceil(subjects / subjectsPerSlice), Math.ceil(touches / touchesPerSlice))

const sum = (profiles: ProfileSize[], column: 'subjects' | 'touches') =>
  profiles.reduce((total, profile) => total + profile[column], 0)
