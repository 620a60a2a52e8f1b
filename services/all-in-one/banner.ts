import type { Config } from '#packages/config/config.ts'
import type { SpeechEngine } from '#packages/speech/engine.ts'

/** What is being served, for the person who started it. */
export type Serving = { config: Config; isSandbox: boolean; dataPath: string; port: number; engine: SpeechEngine }

/** What is printed once the service answers: where it is, what it runs on, and how to go on. */
export const banner = ({ config, isSandbox, dataPath, port, engine }: Serving): string => `
Video Intelligence Service

  base URL   http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}   (documentation: /docs)
  data       ${dataPath}
  adapters   events and views in SQLite, work queue in memory
  speech     ${speechOf(engine)}
  egress     ${egressOf(config, isSandbox)}

  A key:     ${isSandbox ? `DATA_DIR=${dataPath} ` : ''}npm run org -- create "My organization"
  Stop:      Ctrl-C
`

const speechOf = ({ name, model }: SpeechEngine): string =>
  name === 'pocketsphinx'
    ? 'pocketsphinx, local, English only, rough; set SPEECH_BASE_URL for good transcripts'
    : `${name}, model ${model} at SPEECH_BASE_URL`

function egressOf({ egressProxy }: Config, isSandbox: boolean): string {
  if (isSandbox) return 'THE SANDBOX: an invented world on this machine (ops/sandbox/README.md)'
  return egressProxy === undefined ? 'direct, guarded' : 'through EGRESS_PROXY, guarded'
}
