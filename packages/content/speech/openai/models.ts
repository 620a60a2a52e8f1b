/** The answer format of an OpenAI-compatible transcription model, and its limits for one request. */
export type ModelLimits = {
  /** `json` has no times: such a model gets one speech region after another. */
  format: 'verbose_json' | 'diarized_json' | 'json'
  /** False: the format is a guess, and the endpoint may refuse it. */
  known: boolean
  /**
   * The longest sound in one request, which is the model's limit. For formats with times it is ten minutes, so that the
   * other pieces of a long file are not awaited for longer. A model that names speakers knows them only within one
   * request.
   */
  maxSeconds: number
  maxBytes: number
}

const MAX_BYTES = 25_000_000
const maxSeconds: Record<ModelLimits['format'], number> = { verbose_json: 600, diarized_json: 1400, json: 1400 }

const models: Record<string, ModelLimits['format']> = {
  'whisper-1': 'verbose_json',
  'gpt-4o-transcribe': 'json',
  'gpt-4o-mini-transcribe': 'json',
  'gpt-4o-transcribe-diarize': 'diarized_json',
}

/** The limits of a model. A dated version (`name-2025-12-15`) has those of its model. */
export function limitsOf(model: string): ModelLimits {
  const known = models[model.replace(/-\d{4}-\d{2}-\d{2}$/, '')]
  const format = known ?? 'verbose_json'
  return { format, known: known !== undefined, maxSeconds: maxSeconds[format], maxBytes: MAX_BYTES }
}

/** Models that distinguish speakers refuse a prompt. The others use its last 200 tokens or so, or all of it. */
export const takesPrompt = (format: ModelLimits['format']): boolean => format !== 'diarized_json'
