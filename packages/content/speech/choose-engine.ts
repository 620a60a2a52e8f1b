import type { Config } from '#packages/foundation/config/config.ts'
import { ConfigError } from '#packages/foundation/config/variable.ts'
import { type EngineDefinition, type EnginePorts, EngineUnavailable, type ReadyEngine } from './engine-definition.ts'
import { endpoint } from './openai/definition.ts'
import { pocketsphinx } from './pocketsphinx/definition.ts'
import { whisper } from './whisper/definition.ts'

/** The engines, the best first. */
const definitions: readonly EngineDefinition[] = [endpoint, whisper, pocketsphinx]

export type ChosenEngine = ReadyEngine & {
  name: string
  /** Why better engines cannot start, if this one was not named. */
  passedOver: readonly string[]
}

/**
 * The engine that `SPEECH_ENGINE` names. Without a name: the first that can start.
 * @throws ConfigError if the named one does not exist or cannot start
 */
export async function chooseEngine(config: Config, ports: EnginePorts): Promise<ChosenEngine> {
  const { speechEngine: named } = config
  const candidates = named === undefined ? definitions : definitions.filter(({ name }) => name === named)
  const passedOver: string[] = []
  for (const { name, prepare } of candidates) {
    try {
      return { name, ...(await prepare(config, ports)), passedOver }
    } catch (error) {
      if (!(error instanceof EngineUnavailable)) throw error
      passedOver.push(`${name}: ${error.message}`)
    }
  }
  if (candidates.length === 0)
    throw new ConfigError(`SPEECH_ENGINE is one of ${definitions.map(({ name }) => name).join(', ')}, not ${named}`)
  throw new ConfigError(`SPEECH_ENGINE names an engine that cannot start: ${passedOver.join('; ')}`)
}
