/** Why a confined program gave no result. `exit`: it ended by itself, with an error. */
export type ConfinedReason = 'timeout' | 'output_too_large' | 'file_too_large' | 'killed' | 'exit' | 'not_started'

/** A confined program ended without a result. */
export class ConfinedError extends Error {
  readonly reason: ConfinedReason
  readonly exitCode: number | null
  /** The last few kilobytes that the program wrote to standard error, or why it was not started. */
  readonly stderr: string

  constructor(command: string, reason: ConfinedReason, exitCode: number | null, stderr: string) {
    super(`${command}: ${reason}${exitCode === null ? '' : ` ${exitCode}`}: ${stderr.trim().slice(-500)}`)
    this.name = 'ConfinedError'
    this.reason = reason
    this.exitCode = exitCode
    this.stderr = stderr
  }
}
