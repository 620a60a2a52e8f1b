import type { Config } from '#packages/config/config.ts'
import type { SpeechEngine } from '#packages/speech/engine.ts'
import { enginesOf } from './engines.ts'

/** What the banner shows of the running service. */
export type Served = {
  config: Config
  isSandbox: boolean
  dataPath: string
  port: number
  /** Undefined where another process does speech-to-text. */
  speech?: { engine: SpeechEngine } | undefined
}

/** The text that is printed once the service answers: its address, its engines, and the next commands. */
export const banner = ({ config, isSandbox, dataPath, port, speech }: Served): string => `
Video Intelligence Service

  base URL   http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}   (documentation: /docs)
  data       ${dataPath}
  adapters   ${enginesOf(config)}
  speech     ${speech ? speechOf(speech.engine) : 'in a process of its own'}
  model      ${modelOf(config)}
  egress     ${egressOf(config, isSandbox)}

  A key:     ${isSandbox ? `DATA_DIR=${dataPath} ` : ''}npm run org -- create "My organization"
  Stop:      Ctrl-C
`

const speechOf = ({ name, model }: SpeechEngine): string =>
  name === 'pocketsphinx'
    ? 'pocketsphinx, local, English only, rough; set SPEECH_BASE_URL for good transcripts'
    : `${name}, model ${model} at SPEECH_BASE_URL`

const modelOf = ({ llmBaseUrl, llmModel }: Config): string =>
  llmBaseUrl === undefined ? 'none: extractions answer 503; set LLM_BASE_URL' : `${llmModel} at LLM_BASE_URL`

function egressOf({ egressProxy }: Config, isSandbox: boolean): string {
  if (isSandbox) return 'THE SANDBOX: an invented world on this machine (services/sandbox/README.md)'
  return egressProxy === undefined ? 'direct, guarded' : 'through EGRESS_PROXY, guarded'
}
