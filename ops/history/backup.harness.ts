import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { openSqliteAccounts } from '#packages/adapters/sqlite/accounts.ts'
import { openSqliteEventStore } from '#packages/adapters/sqlite/event-store.ts'
import { openSqliteViews } from '#packages/adapters/sqlite/views.ts'
import { systemClock as clock } from '#packages/adapters/system/clock.ts'
import { systemIds as ids } from '#packages/adapters/system/ids.ts'
import { readConfig } from '#packages/foundation/config/config.ts'
import { makeKeyIn } from '#packages/foundation/secrets/secrets-key.ts'
import { allOf } from '#packages/history/archive/archived-store.fixture.ts'
import { recordRemoval } from '#packages/history/removal/record-removal.ts'
import type { Account } from '#packages/ports/accounts.ts'
import { grants } from '#packages/ports/event-store-samples.contract.ts'
import { streams } from '#packages/ports/ids.ts'
import { sampleViews as definition } from '#packages/ports/views-samples.contract.ts'
import { type DataDirectory, openDataDirectory } from '#services/host/data-directory.ts'
import { knownSealer } from '#services/host/open-sealer.ts'
import { backup } from './backup.ts'
import { stores } from './backup-manifest.ts'
import { restore } from './restore.ts'

/** The contents of an installation, as its own adapters read them. */
export type Contents = { streams: string[]; documents: string[]; viewsAt: number; accounts: string[] }

/** The files of a stopped service, and changes that a service would make. */
export class Installation {
  readonly data: DataDirectory
  readonly told: string[] = []

  private constructor(data: DataDirectory) {
    this.data = data
  }

  static async in(folder: string): Promise<Installation> {
    return new Installation(await openDataDirectory(folder))
  }

  /** Appends an event to each of these streams, and shows each stream in the views. */
  async add(...streams: string[]): Promise<void> {
    await using store = await openSqliteEventStore({ path: this.data.events })
    await using views = await openSqliteViews({ path: this.data.views, clock, definition, origin: store.origin })
    await views.begin()
    await views.makeReadable()
    for (const stream of streams) {
      const { position } = await store.append(stream, 'no-stream', grants(1))
      await views.apply([{ collection: 'jobs', id: stream, position, fields: { status: 'queued' } }], {
        position,
        checkpoint: position,
      })
    }
  }

  /** Appends the events of forgetting a job. */
  async forget(jobId: string): Promise<void> {
    await using store = await openSqliteEventStore({ path: this.data.events })
    const data = { reason: 'forgotten', streams: [streams.job(jobId)] } as const
    await recordRemoval({ store, clock, ids }, { about: jobId, orgId: 'org-1', cause: 'a test', data }, 'no-stream')
    await store.remove(streams.job(jobId))
  }

  async register(account: Account): Promise<void> {
    await using accounts = openSqliteAccounts({ path: this.data.accounts })
    await accounts.create(account)
  }

  async contents(): Promise<Contents> {
    await using store = await openSqliteEventStore({ path: this.data.events })
    await using views = await openSqliteViews({ path: this.data.views, clock, definition, origin: store.origin })
    await using accounts = openSqliteAccounts({ path: this.data.accounts })
    const seen = (await allOf(store)).map(({ stream }) => stream).filter((stream) => stream.startsWith('credits-'))
    const documents = (await views.getMany('jobs', seen)).map(({ id }) => id)
    const people = (await accounts.page('', 100)).map(({ id }) => id)
    return { streams: seen, documents, viewsAt: await views.checkpoint(), accounts: people }
  }

  backup(folder: string): Promise<void> {
    const command = { type: 'backup', folder, json: false } as const
    return backup({ data: this.data, stores, sealer: this.#sealer }, command, this.#tell, this.#tell)
  }

  restore(folder: string, { replace = false } = {}): Promise<void> {
    return restore(
      { data: this.data, sealer: this.#sealer },
      { type: 'restore', folder, replace, json: false },
      this.#tell,
    )
  }

  /** Makes the key that a first start makes. */
  makeKey(): Buffer {
    return makeKeyIn(this.data.path)
  }

  get #sealer() {
    return knownSealer(readConfig({}), this.data.path)
  }

  readonly #tell = (line: string): void => void this.told.push(line)
}

/** The name, content and permissions of every file in a folder. */
export async function snapshotOf(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder, { withFileTypes: true })).filter(
    (entry) => entry.isFile() && entry.name !== 'lock',
  )
  const read = names.map(async ({ name }) => {
    const path = join(folder, name)
    const { mode } = await stat(path)
    return [name, `${(mode & 0o777).toString(8)} ${(await readFile(path)).toString('base64')}`] as const
  })
  return Object.fromEntries((await Promise.all(read)).sort(([one], [other]) => (one < other ? -1 : 1)))
}
