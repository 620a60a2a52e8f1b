import type { Request, Response } from 'express'
import type { RevokedKey } from '#contracts/generated/http.ts'
import type { ComponentPorts } from '#services/all-in-one/components.ts'
import { JobDesk } from '#services/ingress/accept-job.ts'
import type { Answers } from '#services/ingress/answer.ts'
import { JobWatch } from '#services/ingress/job-watch.ts'
import { KeyRing } from '#services/ingress/key-ring.ts'
import { LaneRoom } from '#services/ingress/lane-room.ts'
import { type IngressOptions, ingressDefaults } from '#services/ingress/options.ts'
import { deleteKey, type KeyRoutesPorts } from '#services/ingress/routes/keys.ts'
import type { Caller } from '#services/ingress/visit.ts'
import type { Mutation, Ports } from './mutations.ts'

/** What one ingress does behind its HTTP layer: the classes that its routes call. */
export class IngressNode {
  readonly keys: KeyRing
  readonly watch: JobWatch
  readonly desk: Pick<JobDesk, 'accept'>
  readonly #ports: ComponentPorts
  readonly #options: IngressOptions

  constructor(
    ports: ComponentPorts,
    given: Pick<IngressOptions, 'windowSeconds' | 'cachedEntries'>,
    mutation: Mutation,
  ) {
    const options = { ...ingressDefaults, ...given }
    this.#ports = ports
    this.#options = options
    this.keys = new KeyRing(ports, options)
    this.watch = new JobWatch(ports)
    const room = new LaneRoom(ports, options)
    const desk = (of: Ports): JobDesk => new JobDesk({ ...ports, ...of, room }, options)
    this.desk = mutation.desk?.(desk, ports) ?? desk(ports)
  }

  run(signal: AbortSignal): Promise<void> {
    return this.keys.follow(signal)
  }

  /** DELETE /v1/keys/{id}: the route's own handler, with as much of a request as it looks at. */
  async revoke(keyId: string, caller: Caller): Promise<RevokedKey> {
    let answer: RevokedKey | undefined
    const json = (_response: Response, _status: number, body: RevokedKey): void => {
      answer = body
    }
    const answers = { json } as unknown as Answers
    const ports = { ...this.#ports, keys: this.keys, answers } as unknown as KeyRoutesPorts
    const request = { params: { id: keyId } } as unknown as Request
    const visit = { requestId: this.#ports.ids.uuid(), traceparent, caller }
    await deleteKey(ports, this.#options)(request, { locals: { visit } } as unknown as Response, () => {})
    if (answer === undefined) throw new Error('the route did not answer')
    return answer
  }
}

export const traceparent = `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`
