import type { Config } from '#packages/config/config.ts'
import type { SpeechEngine } from '#packages/speech/engine.ts'

/** What is printed once the service answers: where it is, what it runs on, and how to go on. */
export const banner = (config: Config, dataPath: string, port: number, engine: SpeechEngine): string => `
Video Intelligence Service

  base URL   http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}   (documentation: /docs)
  data       ${dataPath}
  adapters   events and views in SQLite, work queue in memory
  speech     ${speechOf(engine)}
  egress     ${config.egressProxy === undefined ? 'direct, guarded' : 'through EGRESS_PROXY, guarded'}

  A key:     npm run org -- create "My organization"
  Stop:      Ctrl-C
`

const speechOf = ({ name, model }: SpeechEngine): string =>
  name === 'pocketsphinx'
    ? 'pocketsphinx, local, English only, rough; set SPEECH_BASE_URL for good transcripts'
    : `${name}, model ${model} at SPEECH_BASE_URL`
