import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** Every process that works in a folder or names it in its command line. */
export function processesOf(folder: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
        const works = `${readlinkSync(`/proc/${pid}/cwd`)}/`.startsWith(`${folder}/`)
        return works || command.includes(folder) ? [`${pid} ${command}`] : []
      } catch {
        return []
      }
    })
}
