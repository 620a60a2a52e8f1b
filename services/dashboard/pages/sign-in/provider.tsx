/** @jsxRuntime automatic @jsxImportSource preact */
import { linkPaths } from '#packages/accounts/links.ts'
import type { PageOptions } from '../../options.ts'
import type { DashboardParts } from '../../parts.ts'
import { page, type Route, redirect } from '../../route.ts'
import { submitted } from '../submitted.ts'
import { firstKeyPage } from './first-key.tsx'
import { nextPath } from './next-path.ts'
import { Door } from './parts.tsx'
import { signInPage } from './sign-in.tsx'

type Parts = Pick<DashboardParts, 'providers' | 'sessions'>

/** `/provider` leads to the operator's OpenID provider, which leads back to `/sign-in/provider`. */
export const providerRoutes = ({ providers, sessions }: Parts, options: PageOptions): Route[] => [
  {
    path: '/provider',
    access: 'anyone',
    async post({ form, address }) {
      const next = nextPath(form.get('next'))
      const organization = form.get('organization')?.trim() || undefined
      const invitation = form.get('invitation') || undefined
      const { done, refusal } = await submitted(() => providers.begin({ organization, invitation, address }))
      if (refusal) return signInPage(options, { next, ...refusal })
      const url = done.url.href
      // Not a redirect: browsers refuse one that leads a form away from the origins that the page allows.
      return page({
        title: 'Signing in',
        leadsTo: url,
        providerSignIn: { state: done.state, next },
        main: (
          <Door title={`Going to ${options.providerName}`}>
            <p>
              <a href={url}>Go on</a> if nothing happens.
            </p>
          </Door>
        ),
      })
    },
  },
  {
    path: linkPaths.provider,
    access: 'anyone',
    async get({ providerSignIn, query, baseUrl, sessionToken }) {
      const { state = '', next = '/' } = providerSignIn ?? {}
      const { done, refusal } = await submitted(() => providers.finish(query.toString(), state))
      if (refusal) return { ...signInPage(options, { next, ...refusal }), providerSignIn: null }
      if (sessionToken !== undefined) await sessions.end(sessionToken)
      const cookies = { session: done.session, providerSignIn: null }
      // This address works once, as a form does: the key is shown to nobody who opens it again.
      if (done.key !== undefined)
        return { ...firstKeyPage(options, { ...done.key, baseUrl, isSignedIn: true }), ...cookies }
      return redirect(nextPath(next), cookies)
    },
  },
]
