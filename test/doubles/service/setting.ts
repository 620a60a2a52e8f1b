import {
  type SpeechEndpoint,
  type SpeechEndpointBehaviour,
  startSpeechEndpoint,
} from '#test/doubles/speech/speech-endpoint.ts'
import { mediaFiles } from '#test/doubles/world/media.ts'
import { startWorld, type World, type WorldHandler } from '#test/doubles/world/world.ts'
import { RunningService } from './running-service.ts'
import { Service } from './service.ts'

export type SettingOptions = {
  /** Files of the world that ffmpeg makes, served under their names. */
  media?: readonly string[]
  /** Further files and handlers of the world outside, by path. */
  files?: Record<string, Buffer | WorldHandler>
  /** How the speech endpoint behaves. Null: there is none, and the local engine is used. */
  speech?: SpeechEndpointBehaviour | null
  env?: Record<string, string>
  /** As for a service. */
  apart?: boolean
}

/** A running service, the world around it, and its back door. */
export class Setting extends RunningService {
  readonly world: World
  readonly speech: SpeechEndpoint | undefined

  private constructor(world: World, speech: SpeechEndpoint | undefined, service: Service, opened: AsyncDisposable) {
    super(service, opened)
    this.world = world
    this.speech = speech
  }

  static async start({ media = [], files = {}, speech = {}, ...options }: SettingOptions = {}): Promise<Setting> {
    await using opening = new AsyncDisposableStack()
    const served = { ...Object.fromEntries(await mediaFiles(media)), ...files }
    const world = opening.use(await startWorld({ files: served }))
    const endpoint = speech === null ? undefined : opening.use(await startSpeechEndpoint(speech))
    const service = opening.use(await Service.prepare({ world, ...(endpoint && { speech: endpoint }), ...options }))
    await service.start()
    return new Setting(world, endpoint, service, opening.move())
  }
}

/** The address of a path of the world. */
export const at = (path: string): string => `http://cdn.example.com${path}`
