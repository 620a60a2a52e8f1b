import { UnreachableError } from './unreachable.ts'

/** Where damage was found. Missing fields are unknown. */
export type DamagePlace = {
  stream?: string | undefined
  revision?: number | undefined
  position?: number | undefined
  id?: string | undefined
}

/**
 * The stored events are not those that were written. They are neither used nor replaced; they can be read again once a
 * person has restored them. The message is for operators: it names the file, and may name a customer's job.
 */
export class DamagedEventsError extends UnreachableError {
  override readonly code = 'damaged_events'
  readonly place: DamagePlace
  /** The problem, in words. */
  readonly problem: string

  /** @param where the damaged file */
  constructor(where: string, problem: string, place: DamagePlace = {}, cause?: unknown) {
    super(where, cause)
    this.place = place
    this.problem = problem
    const { stream, revision, position, id } = place
    const named = [
      stream !== undefined && `stream ${stream}`,
      revision !== undefined && `revision ${revision}`,
      position !== undefined && `position ${position}`,
      id !== undefined && `id ${id}`,
    ].filter((part) => part !== false)
    this.message = `${where} is damaged${named.length > 0 ? ` at ${named.join(', ')}` : ''}: ${problem}`
  }
}
