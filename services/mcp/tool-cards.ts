import openapi from '#contracts/generated/openapi.json' with { type: 'json' }

type Schema = Record<string, unknown>
const object = (properties: Record<string, Schema>, required: string[]): Schema => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})

/** A schema of the HTTP contract, with the schemas that it refers to. */
function contractSchema(name: keyof typeof openapi.components.schemas): Schema {
  const text = JSON.stringify(openapi.components.schemas).replaceAll('#/components/schemas/', '#/$defs/')
  const all = JSON.parse(text) as Record<string, Schema>
  const needed = new Set<string>()
  const collect = (schema: Schema | undefined): void => {
    for (const [, found = ''] of JSON.stringify(schema ?? {}).matchAll(/#\/\$defs\/(\w+)/g)) {
      if (needed.has(found)) continue
      needed.add(found)
      collect(all[found])
    }
  }
  collect(all[name])
  return { ...all[name], $defs: Object.fromEntries([...needed].map((each) => [each, all[each]])) }
}

const url = {
  type: 'string',
  minLength: 1,
  maxLength: 2048,
  description: 'Full public URL of a YouTube, TikTok, Instagram, X or Facebook video, or of a media file.',
}
const lang = {
  type: 'string',
  maxLength: 35,
  description: 'Language hint: a BCP 47 tag such as "en" or "pt-BR", or a name.',
}
const strictLang = {
  type: 'boolean',
  default: false,
  description: 'lang is a condition: captions in another language do not count.',
}
const translate = {
  type: 'boolean',
  default: false,
  description: "If there are no captions in lang, the platform's machine translation may be used.",
}
const vocabulary = {
  type: 'string',
  maxLength: 800,
  description:
    'Names and terms to expect, separated by commas, such as those in the title: a transcription spells them this way.',
}

const next = {
  type: 'array',
  description:
    'Calls that bring what is missing here, literally; they are free. While the job is queued: the call that resumes it. Empty where nothing is missing.',
  items: object({ tool: { type: 'string' }, arguments: { type: 'object' } }, ['tool', 'arguments']),
}
const status = {
  type: 'string',
  enum: ['completed', 'queued'],
  description: '`queued`: the job still runs; call again with the same arguments.',
}
const jobId = { type: ['string', 'null'], description: 'The job; null if not known yet.' }
const knownJob = {
  type: 'string',
  minLength: 1,
  maxLength: 64,
  description: 'The job id from `next`, to get its result: nothing new is requested or charged.',
}

const profileInput = {
  type: 'object',
  properties: {
    username: { type: 'string', minLength: 1, maxLength: 65, description: 'With or without a leading @.' },
    url: { type: 'string', minLength: 1, maxLength: 2048, description: 'Full profile URL, instead of a username.' },
    limit: { type: 'integer', minimum: 1, maximum: 24, default: 12, description: 'Maximum number of posts.' },
    from: { type: 'integer', minimum: 0, maximum: 23, default: 0, description: 'Skips this many posts.' },
  },
  additionalProperties: false,
}

/** `next` is present if posts are missing. */
function profileOutput(name: 'TikTokProfile' | 'InstagramProfile'): Schema {
  const profile = contractSchema(name)
  return { ...profile, properties: { ...(profile.properties as Schema), next } }
}

/** `incomplete` is present if the platform refuses to answer in full. */
function metadataOutput(): Schema {
  const metadata = contractSchema('VideoMetadata')
  const incomplete = {
    type: 'array',
    description: 'Fields that could not be read: they are unknown, not absent. A later call may have them.',
    items: { type: 'string' },
  }
  return { ...metadata, properties: { ...(metadata.properties as Schema), incomplete } }
}

/** Reads only, costs nothing. */
const free = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true }
/** Hints for a tool that costs credits, so that a host asks the user first. A repeat resumes the same job. */
const paid = { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true }

const resumes =
  'Answers within 45 seconds: where the job takes longer, with its id; call again with the same arguments then, which resumes it. A repeat within the hour is not charged again, a failed job is refunded.'

/** The descriptions of the tools for hosts. */
export const toolCards = {
  get_video_metadata: {
    title: 'Video metadata',
    description:
      'Title, author, platform, duration in seconds, date, description, tags, counts and thumbnail of one public video. Free. Takes a few seconds.',
    input: object({ url }, ['url']),
    output: metadataOutput(),
    annotations: free,
  },
  get_video_transcript: {
    title: 'Video transcript',
    description: `The transcript of one public video, with times. Costs 1 credit if the video has captions, 5 if its sound is transcribed. Captions take up to 30 seconds, transcription up to 2 minutes. ${resumes} A long transcript comes in pages.`,
    input: object(
      {
        url,
        mode: {
          type: 'string',
          enum: ['native', 'generate', 'auto'],
          default: 'auto',
          description:
            'native: captions only (1 credit). generate: speech-to-text (5). auto: captions; speech-to-text where there are none or they cannot be read.',
        },
        lang,
        strictLang,
        translate,
        vocabulary,
        jobId: knownJob,
        fromSeconds: { type: 'number', minimum: 0, description: 'Only what starts from here on. Free to change.' },
        toSeconds: { type: 'number', minimum: 0, description: 'Only what starts before this. Free to change.' },
      },
      ['url'],
    ),
    output: object(
      {
        status,
        jobId,
        language: { type: ['string', 'null'], description: 'BCP 47 tag; null where it is not known.' },
        languageProbability: { type: 'number', minimum: 0, maximum: 1, description: 'Of speech, where it is known.' },
        confidence: { type: 'number', minimum: 0, maximum: 1, description: 'Of the whole text, where it is known.' },
        source: { type: 'string', enum: ['captions', 'automatic_captions', 'translated_captions', 'speech'] },
        segments: {
          type: 'array',
          items: object({ start: { type: 'number' }, end: { type: 'number' }, text: { type: 'string' } }, [
            'start',
            'end',
            'text',
          ]),
          description: 'Times in seconds.',
        },
        next,
      },
      ['status', 'jobId', 'next'],
    ),
    annotations: paid,
  },
  extract_from_video: {
    title: 'Extract from a video',
    description: `What a prompt asks for, out of one public video: what is said, shown and known of it. With a JSON Schema the result fits it. Costs 10 credits. Takes up to 2 minutes. ${resumes}`,
    input: object(
      {
        url,
        prompt: {
          type: 'string',
          minLength: 1,
          maxLength: 8000,
          description: 'What to extract or to analyze.',
        },
        lang,
        strictLang,
        translate,
        vocabulary,
        schema: {
          type: 'object',
          description:
            'JSON Schema of the result, its root an object. It may refer to itself, as in {"$ref": "#"}, from a property or an item.',
        },
        jobId: knownJob,
        path: {
          type: 'string',
          maxLength: 2000,
          description:
            'JSON Pointer into the result, such as /people/0; /people/40- is what follows from the 41st on. Free to change.',
        },
      },
      ['url', 'prompt'],
    ),
    output: object(
      { status, jobId, path: { type: 'string' }, result: { description: 'What is at this path.' }, next },
      ['status', 'jobId', 'next'],
    ),
    annotations: paid,
  },
  get_tiktok_profile: {
    title: 'TikTok profile',
    description:
      'A TikTok creator: name, followers, likes, number of videos, and the most recent videos with their URLs and numbers. Free. Takes a few seconds.',
    input: profileInput,
    output: profileOutput('TikTokProfile'),
    annotations: free,
  },
  get_instagram_profile: {
    title: 'Instagram profile',
    description:
      'An Instagram creator: name, bio, followers, number of posts, and the most recent posts with their URLs and numbers. Free. Takes a few seconds.',
    input: profileInput,
    output: profileOutput('InstagramProfile'),
    annotations: free,
  },
} as const

export type ToolName = keyof typeof toolCards
