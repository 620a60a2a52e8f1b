/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'
import { CopyBox } from '../../look/parts.tsx'
import type { PageOptions } from '../../options.ts'
import { type Flash, type Page, page, pathOf, type Redirect, type Route, redirect } from '../../route.ts'
import { firstCall } from '../try/first-call.ts'
import { languages } from '../try/snippets.ts'

const PATH = '/first-key'

/** Redirects to the last page of a sign-up. @param key the secret */
export const toFirstKey = (made: { orgId: string; key: string; isSignedIn: boolean }): Redirect =>
  redirect(PATH, { flash: { firstKey: made } })

/** `/first-key`: the key, which is shown only here, and what to do with it. */
export const firstKeyRoutes = (options: PageOptions): Route[] => [
  {
    path: PATH,
    access: 'anyone',
    get: ({ flash: { firstKey }, baseUrl }) =>
      firstKey === undefined ? redirect('/') : firstKeyPage(options, { ...firstKey, baseUrl }),
  },
]

/** The same call as code for programmers. */
const OtherLanguages = ({ call }: { call: Parameters<typeof firstCall>[0] }): VNode => (
  <>
    {languages.map(([language, name]) =>
      language === 'curl' ? null : (
        <details key={language} class="fold">
          <summary>{name}</summary>
          <CopyBox text={firstCall(call, language)} />
        </details>
      ),
    )}
  </>
)

type FirstKey = NonNullable<Flash['firstKey']> & { baseUrl: string }

const firstKeyPage = ({ root, exampleUrl }: PageOptions, { orgId, key, baseUrl, isSignedIn }: FirstKey): Page =>
  page({
    title: 'Your first API key',
    main: (
      <div class="card wide">
        <h1>Your first API key</h1>
        <p>Your organization is ready. Three steps to your first transcript:</p>
        <ol class="steps">
          <li>
            <h2>Save your API key</h2>
            <p>
              This key is shown only once. Store it in a password manager; if you lose it, revoke it and create a new
              one.
            </p>
            <CopyBox text={key} />
          </li>
          <li>
            <h2>Request a transcript</h2>
            <p>Run this in a terminal. It costs 1 credit and returns a job ID.</p>
            <CopyBox text={firstCall({ key, baseUrl, exampleUrl })} />
            <OtherLanguages call={{ key, baseUrl, exampleUrl }} />
          </li>
          <li>
            <h2>Follow it</h2>
            <p>The job appears on your overview within a second, with its progress and then its transcript.</p>
            <div class="row">
              <a class="button main" href={root + pathOf(orgId, 'overview')}>
                {isSignedIn ? 'Go to your overview' : 'Sign in and go to your overview'}
              </a>
              {isSignedIn && (
                <a
                  class="button"
                  href={`${root}${pathOf(orgId, 'try')}/transcript?${new URLSearchParams({ url: exampleUrl })}`}
                >
                  Try it in the browser
                </a>
              )}
            </div>
          </li>
        </ol>
      </div>
    ),
  })
