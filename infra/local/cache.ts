import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'

export const checkout = resolve(import.meta.dirname, '../..')
/** Shared by every TOUCHLINE_HOME of the checkout, so that a second one fetches nothing. */
export const cacheFolder = join(checkout, '.touchline-cache')

/** A folder that is either absent or whole: filled aside, then renamed, so a broken fetch leaves nothing half. */
export async function cached(name: string, fill: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(cacheFolder, name)
  if (existsSync(folder)) return folder
  const aside = `${folder}.${process.pid}.part`
  await rm(aside, { recursive: true, force: true })
  await mkdir(aside, { recursive: true })
  try {
    await fill(aside)
    await rename(aside, folder).catch((error: unknown) => {
      if (!existsSync(folder)) throw error
    })
  } finally {
    await rm(aside, { recursive: true, force: true })
  }
  return folder
}
