import type { EventMetadata } from '#contracts/generated/messages.ts'
import { createKey } from '#packages/accounts/keys/create-key.ts'
import type { KeyRequest } from '#packages/accounts/keys/key-request.ts'
import type { Ledgers } from '#packages/accounts/ledger/ledgers.ts'
import type { CreditsCommand } from '#packages/domain/credits/credits.ts'
import type { Ledger } from '#packages/domain/credits/ledger.ts'
import type { Plan } from '#packages/domain/credits/plans.ts'
import {
  type Organization,
  type OrganizationCommand,
  organization,
} from '#packages/domain/organization/organization.ts'
import { fold } from '#packages/event-sourcing/decider.ts'
import { handleCommand } from '#packages/events/store/handle-command.ts'
import { assertStoreIntact } from '#packages/foundation/errors/assert-store-intact.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { EventStore } from '#packages/ports/event-store.ts'
import { type Ids, streams } from '#packages/ports/ids.ts'
import { newTraceparent } from '#packages/telemetry/traceparent.ts'

export type OrganizationPorts = { store: EventStore; clock: Clock; ids: Ids; ledgers: Ledgers }

/** `key`: the secret. */
export type MadeKey = { orgId: string; keyId: string; key: string }

/** No organization has this id. */
export class UnknownOrganizationError extends Error {
  readonly code = 'unknown_organization'
  constructor(orgId: string) {
    super(`there is no organization ${orgId}`)
  }
}

/** The name of an actor who is neither an account nor an entry of the audit trail: a person at the terminal. */
const AT_THE_SHELL = 'command'

const GIVE_UP_AFTER_MS = 10_000

/** Registers organizations, changes their plans and grants credits, for operators and the dashboard's sign-up. */
export class Organizations {
  readonly #ports: OrganizationPorts

  constructor(ports: OrganizationPorts) {
    this.#ports = ports
  }

  /**
   * Registers an organization with the credits of its plan and a first key. The key is created last: an organization
   * that a crash left unfinished has no key and cannot be used.
   * @returns the secret of the key, which cannot be shown again
   */
  async create(name: string, plan: Plan): Promise<MadeKey> {
    const { ids } = this.#ports
    const orgId = ids.uuid()
    const metadata = this.#metadata(orgId)
    await this.#execute({ type: 'register', by: AT_THE_SHELL }, metadata)
    if (plan !== 'free') await this.#execute({ type: 'change-plan', plan, by: AT_THE_SHELL }, metadata)
    await this.#name({ type: 'register', name }, metadata)
    const { keyId, secret } = await createKey(this.#ports, 'first key', metadata)
    return { orgId, keyId, key: secret }
  }

  /**
   * Registers an organization on the Free plan, with its sign-up credits, under the caller's id. A repeat, after a
   * crash or at the same time, changes nothing: there is one organization, and it has its credits once.
   * @param by the id of the account that signs up
   * @throws ServiceError unavailable: the events are not believed
   */
  async establish(orgId: string, name: string, by: string): Promise<void> {
    assertStoreIntact(this.#ports.store)
    const metadata = this.#metadata(orgId)
    await this.#execute({ type: 'register', by }, metadata)
    await this.#name({ type: 'register', name }, metadata)
  }

  /** Gives an organization another name. @throws ServiceError unavailable: the events are not believed */
  async rename(orgId: string, name: string): Promise<void> {
    assertStoreIntact(this.#ports.store)
    await this.#known(orgId)
    await this.#name({ type: 'rename', name }, this.#metadata(orgId))
  }

  /** Creates one more key, even if an organization has lost all of its own. @throws UnknownOrganizationError */
  async createKey(orgId: string, { name, grant }: KeyRequest): Promise<MadeKey> {
    await this.#known(orgId)
    const { keyId, secret } = await createKey(this.#ports, name, this.#metadata(orgId), { grant })
    return { orgId, keyId, key: secret }
  }

  /** @param by the id of an entry in the audit trail @throws UnknownOrganizationError */
  async changePlan(orgId: string, plan: Plan, by = AT_THE_SHELL): Promise<Ledger> {
    await this.#known(orgId)
    await this.#execute({ type: 'change-plan', plan, by }, this.#metadata(orgId))
    return this.#ports.ledgers.current(orgId)
  }

  /** Grants credits, once per call. @param by as above @throws UnknownOrganizationError */
  async grant(orgId: string, credits: number, by = AT_THE_SHELL): Promise<Ledger> {
    await this.#known(orgId)
    await this.#execute({ type: 'grant', credits, by }, this.#metadata(orgId))
    return this.#ports.ledgers.current(orgId)
  }

  /** All organizations, oldest first. Reads their streams, not a view, so it also works while nothing else runs. */
  async *list(): AsyncIterable<{ orgId: string; name: string; ledger: Ledger }> {
    const end = new AbortController()
    const feed = this.#ports.store.follow({ after: 0, prefixes: ['organization-'], signal: end.signal })
    for await (const { events, caughtUp } of feed) {
      for (const event of events) {
        if (event.type !== 'OrganizationRegistered') continue
        const { orgId } = event.metadata
        const found = await this.#found(orgId)
        // It was closed meanwhile.
        if (found.status === 'none') continue
        yield { orgId, name: found.name, ledger: await this.#ports.ledgers.current(orgId) }
      }
      if (caughtUp) end.abort()
    }
  }

  async #name(command: OrganizationCommand, metadata: EventMetadata): Promise<void> {
    await handleCommand(this.#ports, organization, {
      stream: streams.organization(metadata.orgId),
      command,
      metadata,
      giveUpAt: this.#ports.clock.now() + GIVE_UP_AFTER_MS,
    })
  }

  async #known(orgId: string): Promise<void> {
    await this.#nameOf(orgId)
  }

  async #nameOf(orgId: string): Promise<string> {
    const found = await this.#found(orgId)
    if (found.status === 'none') throw new UnknownOrganizationError(orgId)
    return found.name
  }

  async #found(orgId: string): Promise<Organization> {
    return fold(organization, await this.#ports.store.read(streams.organization(orgId)))
  }

  async #execute(command: CreditsCommand, metadata: EventMetadata): Promise<void> {
    await this.#ports.ledgers.execute(metadata.orgId, { command, metadata })
  }

  #metadata(orgId: string): EventMetadata {
    const request = this.#ports.ids.uuid()
    return { orgId, correlationId: request, causationId: request, traceparent: newTraceparent(false) }
  }
}
