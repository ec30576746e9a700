import { z } from 'zod'
import { shortestPassword } from '../../../domain/passwords.ts'
import { ApiError } from '../../../http/operation.ts'
import { isBreached } from '../../../infra/breached-passwords.ts'

/** Any text that a person may have chosen; the bound keeps the hashing cheap. */
export const Password = z.string().min(1).max(1024)

/** Refuses what is too short, and what attackers try first. */
export function checkNewPassword(password: string): void {
  if ([...password].length < shortestPassword) {
    throw new ApiError('weak_password', `A password has at least ${shortestPassword} characters.`)
  }
  if (isBreached(password)) throw new ApiError('compromised_password')
}
