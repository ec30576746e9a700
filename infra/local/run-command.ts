import { spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

export interface CommandOptions {
  env: NodeJS.ProcessEnv
  cwd?: string
  signal?: AbortSignal | undefined
}

/** Runs a command to its end; what it wrote is returned, or is in the error when it failed. */
export function runCommand(command: string, args: string[], options: CommandOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    const collect = (chunk: Buffer) => {
      output = (output + chunk).slice(-64 * 1024)
    }
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
    child.once('error', reject)
    child.once('close', (code, signal) => {
      if (code === 0) resolve(output)
      else reject(new Error(`${command} ended with ${signal ?? `exit code ${code}`}:\n${lastLines(output, 8)}`))
    })
  })
}

export const lastLines = (text: string, count: number) => text.trimEnd().split('\n').slice(-count).join('\n')

/** The full path of a program on PATH, or undefined. */
export function findProgram(name: string, env: NodeJS.ProcessEnv): string | undefined {
  const candidates = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  return candidates.map((folder) => join(folder, name)).find(isExecutable)
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
