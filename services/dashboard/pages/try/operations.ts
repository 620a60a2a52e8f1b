import { profilePlatforms } from '#packages/platforms/registry.ts'
import { inclusions } from '#packages/platforms/videos/video-source.ts'
import type { FormField, FormOperation } from './call.ts'
import { type ContractField, contractOf } from './contract.ts'

export const operationNames = [
  'transcript',
  'extract',
  'metadata',
  'search',
  'profiles',
  'channel',
  'playlist',
  'estimate',
] as const
export type OperationName = (typeof operationNames)[number]

/** A field with its presentation. */
export type ShownField = FormField & {
  label: string
  /** In the contract's words. Text in backticks is code. */
  hint: string
  required: boolean
  /** Folded away, because few people need it. */
  isMore: boolean
  options: readonly (readonly [value: string, text: string])[]
  /** The initial value in the form. */
  example: string
  placeholder: string
  min: number | undefined
  max: number | undefined
  maxLength: number | undefined
}

export type Operation = Omit<FormOperation, 'fields'> & {
  name: OperationName
  title: string
  /** In one sentence. */
  summary: string
  price: string
  /** The label of the button. */
  act: string
  tier: 'light' | 'heavy'
  fields: readonly ShownField[]
}

const VIDEO = 'https://www.youtube.com/watch?v=…'

/** What the contract does not say about a field. */
type Presentation = Partial<Omit<ShownField, 'name' | 'where'>> & { label: string }

const labels: Readonly<Record<string, Presentation>> = {
  url: { label: 'URL', control: 'url', placeholder: VIDEO },
  mode: {
    label: 'Mode',
    hint: 'Captions cost 1 credit, speech to text 5. `auto` holds 5 and refunds 4 if captions were found.',
    options: [
      ['', 'auto: captions, else speech to text'],
      ['native', 'native: captions only'],
      ['generate', 'generate: speech to text'],
    ],
  },
  lang: {
    label: 'Language',
    placeholder: 'en',
    hint: 'Such as `en`, `pt-BR` or `German`. If the video does not have it, you get the original.',
  },
  prompt: {
    label: 'Prompt',
    hint: 'What to find in the video, in your own words.',
    control: 'long',
    example: 'Who is mentioned, and what is said about each person?',
  },
  schema: {
    label: 'JSON Schema',
    hint: 'The shape of the result. Leave it empty for a free-form object. Schemas from Pydantic, Zod and other libraries work as they are.',
    control: 'json',
    example: JSON.stringify(
      {
        type: 'object',
        properties: {
          people: {
            type: 'array',
            items: {
              type: 'object',
              properties: { name: { type: 'string' }, said: { type: 'string' } },
              required: ['name', 'said'],
            },
          },
        },
        required: ['people'],
      },
      null,
      2,
    ),
  },
  include: {
    label: 'Include',
    hint: 'Extra fields to include.',
    control: 'checks',
    options: inclusions.map((each) => [each, each]),
  },
  q: { label: 'Words', placeholder: 'audiobook' },
  platform: { label: 'Platform' },
  limit: { label: 'Limit' },
  handle: { label: 'Handle', placeholder: '@longshelf' },
  id: { label: 'ID', isMore: true },
  type: {
    label: 'Type',
    options: [
      ['', 'videos'],
      ['shorts', 'shorts'],
      ['lives', 'lives: broadcasts'],
    ],
  },
  cursor: { label: 'Cursor', isMore: true },
  username: { label: 'User name', placeholder: '@pageturners' },
  strictLang: { label: 'Only in this language', isMore: true },
  translate: { label: 'Allow translated captions', isMore: true },
  words: { label: 'Word timings', isMore: true },
  speakers: { label: 'Identify speakers', isMore: true },
  vocabulary: { label: 'Names and terms to expect', placeholder: 'Marianne Dashwood, Norland Park', isMore: true },
  reuse: {
    label: 'Reuse a recent result, for 0 credits',
    hint: 'If your organization completed the same request in the last 24 hours, you get that result at once.',
  },
  failFast: { label: 'Fail at once if the platform refuses', isMore: true },
  webhookUrl: { label: 'Webhook URL', control: 'url', isMore: true },
  'Idempotency-Key': {
    label: 'Idempotency-Key',
    isMore: true,
    hint: '1 to 255 printable ASCII characters. Repeating a key within 24 hours returns the same job, charged once.',
  },
}

function controlOf({ schema }: ContractField): FormField['control'] {
  if (schema.type === 'boolean') return 'check'
  if (schema.type === 'integer') return 'number'
  return schema.enum === undefined ? 'text' : 'select'
}

/** A choice of one value. If the field is optional, the first choice sends nothing. */
const optionsOf = ({ schema, required }: ContractField): ShownField['options'] => {
  const values = (schema.enum ?? []).map((value) => [value, value] as const)
  return required ? values : [['', 'all'], ...values]
}

function shown(field: ContractField): ShownField {
  const { name, where, required, description, schema } = field
  const placeholder = schema.default === undefined ? '' : String(schema.default)
  const { minimum: min, maximum: max, maxLength } = schema
  const presented = labels[name] ?? { label: name }
  const fromContract = { name, where, required, hint: description, placeholder, min, max, maxLength }
  const made = { control: controlOf(field), options: optionsOf(field), isMore: false, example: '' }
  const sample = presented.example ?? presented.placeholder
  return { ...fromContract, ...made, ...presented, ...(required && sample !== undefined && { sample }) }
}

type Telling = Pick<Operation, 'name' | 'title' | 'summary' | 'price' | 'act' | 'tier'>

const free = { price: 'Free.', tier: 'light' } as const

/** The form of an operation of the contract. @param order the fields that come first, in this order */
function operationOf(operationId: string, order: readonly string[], telling: Telling): Operation {
  const { method, path, fields } = contractOf(operationId)
  const first = order.flatMap((name) => fields.filter((field) => field.name === name))
  const others = fields.filter(({ name }) => !order.includes(name))
  const headers = others.filter(({ where }) => where === 'header')
  const sorted = [...first, ...others.filter((field) => !headers.includes(field)), ...headers].map(shown)
  return { method, path, fields: sorted, ...telling }
}

/** A field that is not in the contract. */
const ownField = (given: Pick<ShownField, 'name' | 'where' | 'label' | 'hint' | 'options'>): ShownField => ({
  control: 'select',
  required: true,
  isMore: false,
  example: given.options[0]?.[0] ?? '',
  placeholder: '',
  min: undefined,
  max: undefined,
  maxLength: undefined,
  ...given,
})

/** The field with another example of a URL. */
const withUrl = (operation: Operation, placeholder: string): Operation => ({
  ...operation,
  fields: operation.fields.map((field) => (field.name === 'url' ? { ...field, placeholder } : field)),
})

const transcript = operationOf('requestTranscript', ['url', 'mode', 'lang'], {
  name: 'transcript',
  title: 'Transcript',
  summary: 'What is said in a video, with timestamps.',
  price: '1 credit from captions, 5 from speech.',
  act: 'Get the transcript',
  tier: 'heavy',
})

const extract = operationOf('requestExtraction', ['url', 'prompt', 'schema', 'lang'], {
  name: 'extract',
  title: 'Extraction',
  summary: 'Structured data from a video, in a shape that you define.',
  price: '10 credits.',
  act: 'Get the extraction',
  tier: 'heavy',
})

const metadata = operationOf('getVideoMetadata', ['url', 'include'], {
  name: 'metadata',
  title: 'Metadata',
  summary: 'Title, author, duration, counts and captions of a video, immediately.',
  act: 'Get the metadata',
  ...free,
})

const search = operationOf('searchVideos', ['q', 'platform', 'limit'], {
  name: 'search',
  title: 'Search',
  summary: 'Find videos by topic, creator or product, on one platform or all.',
  act: 'Search',
  ...free,
})

const profile = operationOf('getTikTokProfile', ['username', 'url', 'limit'], {
  name: 'profiles',
  title: 'Profile',
  summary: 'A creator’s profile with the latest videos.',
  act: 'Get the profile',
  ...free,
})

const profiles: Operation = {
  ...profile,
  path: '/v1/{platform}/profile',
  fields: [
    ownField({
      name: 'platform',
      where: 'path',
      label: 'Platform',
      hint: 'Give a user name or the URL of the profile.',
      options: profilePlatforms.map(({ name, label }) => [name, label]),
    }),
    ...withUrl(profile, 'https://www.tiktok.com/@pageturners').fields,
  ],
}

const channel = operationOf('getYouTubeChannel', ['handle', 'url', 'id', 'type', 'limit', 'cursor'], {
  name: 'channel',
  title: 'Channel',
  summary: 'The videos of a YouTube channel, up to a hundred at a time.',
  act: 'List the channel',
  ...free,
})

const playlist = operationOf('getYouTubePlaylist', ['url', 'id', 'limit', 'cursor'], {
  name: 'playlist',
  title: 'Playlist',
  summary: 'The videos of a YouTube playlist, up to a hundred at a time.',
  act: 'List the playlist',
  ...free,
})

const estimated = operationOf('estimateJob', ['url', 'mode', 'prompt', 'schema', 'lang'], {
  name: 'estimate',
  title: 'Estimate',
  summary: 'What a job will cost, how long it will take, and whether it would fail.',
  act: 'Estimate',
  ...free,
})

/** Fields of one kind of job only. */
const jobOf: Readonly<Record<string, string>> = {
  mode: 'transcript',
  words: 'transcript',
  speakers: 'transcript',
  prompt: 'extraction',
  schema: 'extraction',
}

const estimate: Operation = {
  ...estimated,
  fields: [
    ownField({
      name: 'job',
      where: 'choice',
      label: 'Job',
      hint: '',
      options: [
        ['transcript', 'a transcript'],
        ['extraction', 'an extraction'],
      ],
    }),
    ...estimated.fields.map((field) => {
      const is = jobOf[field.name]
      return is === undefined ? field : { ...field, when: { field: 'job', is } }
    }),
  ],
}

/** Fields of one job alone. */
const ofOneJob: readonly string[] = ['url', 'webhookUrl', 'reuse']

/** The fields of a form that applies to each of many videos. */
export const manyVideos: Operation = {
  ...estimate,
  fields: estimate.fields.filter(({ name }) => !ofOneJob.includes(name)),
}

/** The operations to try, in the order of display. */
export const operations: readonly Operation[] = [
  transcript,
  extract,
  metadata,
  search,
  profiles,
  withUrl(channel, 'https://www.youtube.com/@longshelf'),
  withUrl(playlist, 'https://www.youtube.com/playlist?list=…'),
  estimate,
]
