import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Plan } from '#packages/domain/credits/plans.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { temporaryDirectory } from '#test/doubles/speech/setting.ts'
import {
  type SpeechEndpoint,
  type SpeechEndpointBehaviour,
  startSpeechEndpoint,
} from '#test/doubles/speech/speech-endpoint.ts'
import { makeMedia } from '#test/doubles/world/media.ts'
import { startWorld, type World, type WorldHandler } from '#test/doubles/world/world.ts'
import { Books } from './books.ts'
import { Client } from './client.ts'
import { Service } from './service.ts'
import { until } from './until.ts'

export type SettingOptions = {
  /** Files of the world that ffmpeg makes, served under their names. */
  media?: readonly string[]
  /** What else the world serves, by path. */
  files?: Record<string, Buffer | WorldHandler>
  /** How the speech endpoint behaves; null: there is none, the local engine is used. */
  speech?: SpeechEndpointBehaviour | null
  env?: Record<string, string>
}

/** A running service, the world around it, and its books. */
export class Setting implements AsyncDisposable {
  readonly world: World
  readonly speech: SpeechEndpoint | undefined
  readonly service: Service
  #books: Promise<Books> | undefined
  /** Everybody who was given a key. */
  readonly clients: Client[] = []

  private constructor(world: World, speech: SpeechEndpoint | undefined, service: Service) {
    this.world = world
    this.speech = speech
    this.service = service
  }

  static async start({ media = [], files = {}, speech = {}, env = {} }: SettingOptions = {}): Promise<Setting> {
    await using directory = await temporaryDirectory()
    await makeMedia(directory.path, ...media)
    const made = media.map(async (name) => [`/${name}`, await readFile(join(directory.path, name))] as const)
    const world = await startWorld({ files: { ...Object.fromEntries(await Promise.all(made)), ...files } })
    const endpoint = speech === null ? undefined : await startSpeechEndpoint(speech)
    const setting = new Setting(
      world,
      endpoint,
      await Service.prepare({ world, ...(endpoint && { speech: endpoint }), env }),
    )
    try {
      await setting.service.start()
      return setting
    } catch (error) {
      await setting[Symbol.asyncDispose]()
      throw error
    }
  }

  /** The service's event store, seen from this process. */
  books(): Promise<Books> {
    this.#books ??= Books.open(this.service.dataDir)
    return this.#books
  }

  /** Closes the event store here, so that the service alone has it open. */
  async closeBooks(): Promise<void> {
    const books = await this.#books
    this.#books = undefined
    await books?.[Symbol.asyncDispose]()
  }

  /** A new organization and its client. `credits`: what it has left. */
  async client(options: { plan?: Plan; credits?: number } = {}): Promise<Client> {
    const books = await this.books()
    const client = new Client(() => this.service.base, await books.organization(options))
    this.clients.push(client)
    return client
  }

  /** Waits until every debit is settled. @returns everything that was written */
  async rest(seconds = 60): Promise<StoredEvent[]> {
    const books = await this.books()
    const countOf = (events: StoredEvent[], kind: string): number => events.filter(({ type }) => type === kind).length
    return until(
      'every debit is settled',
      async () => {
        const events = await books.events()
        return countOf(events, 'CreditsDebited') === countOf(events, 'CreditsSettled') && events
      },
      { seconds, everyMs: 200 },
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.closeBooks()
    await this.service[Symbol.asyncDispose]()
    await this.speech?.close()
    await this.world.close()
  }
}

/** The address of a path of the world. */
export const at = (path: string): string => `http://cdn.example.com${path}`
