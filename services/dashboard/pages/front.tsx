/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'
import { SIGN_UP_CREDITS } from '#packages/domain/credits/plans.ts'
import { platforms } from '#packages/platforms/registry.ts'
import { CopyBox } from '../look/parts.tsx'
import type { PageOptions } from '../options.ts'
import { type Page, page, type Route, redirect } from '../route.ts'
import { PlanCards } from './plans/plan-cards.tsx'
import { SignUp } from './plans/plans.tsx'
import { firstCall } from './try/first-call.ts'

/** `/front`, which the ingress serves at `/`: presents the service to visitors, if they may sign up. */
export const frontRoutes = (options: PageOptions): Route[] => [
  {
    path: '/front',
    access: 'anyone',
    get({ visitor, baseUrl }) {
      if (visitor !== undefined) return redirect('/')
      return options.signup === 'open' ? frontPage(options, baseUrl) : redirect('/sign-in')
    },
  },
]

const names = new Intl.ListFormat('en-GB').format(platforms.map(({ label }) => label))

const frontPage = (options: PageOptions, baseUrl: string): Page =>
  page({
    title: 'Transcripts and structured data from any video',
    front: `An API for transcripts, metadata and structured data from ${names}. ${SIGN_UP_CREDITS} free credits, no card.`,
    main: (
      <>
        <section class="hero">
          <h1>Turn any video into text your code can use</h1>
          <p>
            {`One API for transcripts, metadata and structured data from ${names}, and from direct links to media files.`}
          </p>
          <p class="row">
            <a class="button main" href={`${options.root}/sign-up`}>
              {`Start with ${SIGN_UP_CREDITS} free credits`}
            </a>
            <a class="button" href={`${options.root}/../docs`}>
              Read the docs
            </a>
          </p>
          <p class="quiet small">No card needed. Your API key is ready as soon as you sign up.</p>
        </section>
        <section class="demo" aria-label="Example">
          <div>
            <h2>One call</h2>
            <CopyBox text={firstCall({ baseUrl, key: 'YOUR_KEY', exampleUrl: options.exampleUrl, waits: true })} />
          </div>
          <div>
            <h2>One answer</h2>
            <pre>
              <code>{answerOf(options.exampleWords)}</code>
            </pre>
          </div>
        </section>
        <Does extracts={options.extracts} />
        <section>
          <h2>Plans</h2>
          <PlanCards options={options} heading="h3" action={(plan) => <SignUp root={options.root} plan={plan} />} />
          <p>
            <a href={`${options.root}/plans`}>What each operation costs</a>
          </p>
        </section>
      </>
    ),
  })

/** The beginning of the answer to the call beside it. */
const answerOf = (words: string): string => {
  const text = JSON.stringify(words)
  return `{
  "jobId": "0b9e4f0c-…",
  "status": "completed",
  "resultJson": {
    "text": ${text},
    "segments": [
      { "start": 1.2, "end": 3.4,
        "text": ${text} }
    ],
    "language": "en",
    "source": "captions"
  }
}`
}

const does = {
  Transcripts:
    'Captions where the platform has them, speech-to-text where it has none. As JSON with timestamps, SRT, VTT or plain text.',
  'Structured data':
    'Send a JSON schema and a prompt. Get an object that is valid by your schema, from speech and pictures.',
  'Metadata and search':
    'Titles, authors, counts, search results and profiles, from every platform in one format. Always free.',
  'Made for production':
    'Batches, webhooks, watches of channels, idempotent requests, tools for agents. A job that fails costs nothing.',
}

const Does = ({ extracts }: Pick<PageOptions, 'extracts'>): VNode => (
  <div class="grid">
    {Object.entries(does).map(([title, words]) =>
      title === 'Structured data' && !extracts ? null : (
        <section key={title} class="card">
          <h2>{title}</h2>
          <p>{words}</p>
        </section>
      ),
    )}
  </div>
)
