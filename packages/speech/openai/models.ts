/** The answer format of an OpenAI-compatible transcription model, and its limits for one request. */
export type ModelLimits = {
  /** `json` has no times: such a model gets one speech region after another. */
  format: 'verbose_json' | 'diarized_json' | 'json'
  /** False: the format is a guess, and the endpoint may refuse it. */
  known: boolean
  maxSeconds: number
  maxBytes: number
}

const limits = { maxSeconds: 1400, maxBytes: 25_000_000 }

const models: Record<string, ModelLimits['format']> = {
  'whisper-1': 'verbose_json',
  'gpt-4o-transcribe': 'json',
  'gpt-4o-mini-transcribe': 'json',
  'gpt-4o-transcribe-diarize': 'diarized_json',
}

/** The limits of a model; a dated version (`name-2025-12-15`) has those of its model. */
export function limitsOf(model: string): ModelLimits {
  const format = models[model.replace(/-\d{4}-\d{2}-\d{2}$/, '')]
  return { format: format ?? 'verbose_json', known: format !== undefined, ...limits }
}
