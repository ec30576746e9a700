export interface Pack {
  profiles: string[]
  /** In how many runs the pack is derived. */
  slices: number
}

/** Small profiles share a run up to its size; a profile that is larger has slices of its own. */
export function packProfiles(sizes: { profile_id: string; subjects: number }[], subjectsPerRun: number): Pack[] {
  const packs: Pack[] = []
  let room = 0
  for (const { profile_id, subjects } of sizes) {
    if (subjects > subjectsPerRun) {
      packs.unshift({ profiles: [profile_id], slices: Math.ceil(subjects / subjectsPerRun) })
      continue
    }
    if (subjects > room) {
      packs.push({ profiles: [], slices: 1 })
      room = subjectsPerRun
    }
    packs.at(-1)!.profiles.push(profile_id)
    room -= subjects
  }
  return packs
}
