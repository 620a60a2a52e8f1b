import type { VNode } from 'preact'
import type { SignedIn } from '#packages/accounts/people/sessions.ts'
import type { Role } from '#packages/ports/accounts.ts'
import type { FlashedError } from './http/flashed-error.ts'
import type { Notice } from './notices.ts'

/** Who may use a route. `person`: anyone signed in. `member`, `owner`: of the organization in the path. */
export type Access = 'anyone' | 'person' | 'member' | 'owner' | 'operator'

/** The sections of an organization, in the order of the menu. */
export type Section =
  | 'overview'
  | 'jobs'
  | 'try'
  | 'batches'
  | 'watches'
  | 'keys'
  | 'webhooks'
  | 'usage'
  | 'members'
  | 'settings'

/** The organization that a page is about, and the visitor's role there. */
export type VisitedOrganization = { orgId: string; name: string; role: Role }

/** The person who is signed in, and their session. */
export type Visitor = SignedIn

/** A sign-in under way in this browser, with the operator's provider or with a code, and the path that follows it. */
export type SignInUnderWay = { state: string; next: string }

/** What the answer to a form hands to the page that it redirects to. That page shows it once. */
export type Flash = {
  /** Why the form was refused. */
  refusal?: { problems: Readonly<Record<string, string>>; status: number }
  /** What was typed into its fields; never a password. */
  typed?: readonly (readonly [name: string, value: string])[]
  /** What was typed was too long to hand over. */
  isCut?: true
  error?: FlashedError
  newKey?: { name: string; key: string; runsJobs: boolean }
  /** `host`: the webhook's host. Missing: the secret signs the messages to the `webhookUrl` of jobs. */
  newSecret?: { host?: string; secret: string }
  recoveryCodes?: readonly string[]
  firstKey?: { orgId: string; key: string; isSignedIn: boolean }
  /** The link of a new invitation. */
  link?: string
  /** The address that the mail was sent to. */
  sentTo?: string
  /** The address that the browser opens next by itself. */
  leadsTo?: string
  /** The e-mail address of the person whom an operator searches for. */
  search?: string
  /** The visitor has sent the form that is in the query, so the page may carry it out. */
  mayRead?: true
  /** The answer to a call of `Try it`. */
  answered?: {
    status: number
    /** Missing if there is an error, because the body is made from that. */
    body?: unknown
    tookMs: number
    /** `held`: credits; missing: unknown. */
    job?: { jobId: string; held?: number }
    error?: FlashedError
  }
}

/** What the ingress knows about a request, and what a page reports back to it. */
export type About = {
  requestId: string
  /** The id in its answer. Operators search the log for it. */
  shownId: string
  traceparent: string
  /** The remote address, grouped as the rate limits do. */
  address: string
  /** For the log and the trace. */
  isAboutJob(job: { jobId: string; traceId: string }): void
  /** The request began a job, or repeats the request that did. Its span becomes part of the job's trace. */
  began(job: { jobId: string; traceparent: string }): void
  /** The request is about a job that another request began. Its span follows the job's. */
  follows(job: { jobId: string; traceparent: string }): void
  /** The request may have begun a job. */
  mayHaveBegun(job: { jobId: string; isShared: boolean }): void
}

/** A request for a page. */
export type PageContext = About & {
  /** The path's parameters. */
  params: Readonly<Record<string, string>>
  query: URLSearchParams
  /** The fields of a form that was sent; empty for GET. */
  form: URLSearchParams
  /** What a form handed over to this page; empty for POST. */
  flash: Flash
  /** A script sent the form and shows the answer in its place, so the browser does not send the form again. */
  isInPlace: boolean
  visitor: Visitor | undefined
  /** Undefined if the path names none. */
  org: VisitedOrganization | undefined
  /** The base of absolute addresses, such as `https://video.example.com`, without a final slash. */
  baseUrl: string
  /** The token of the session cookie, if there is one. */
  sessionToken: string | undefined
  signInUnderWay: SignInUnderWay | undefined
  lastEventId: string | undefined
  /** Aborted when the visitor disconnects or the server closes. */
  signal: AbortSignal
}

export type OrgPageContext = PageContext & { org: VisitedOrganization; visitor: Visitor }
export type PersonPageContext = PageContext & { visitor: Visitor }

/** The new session cookie: a token, or null to delete it. */
export type SetSession = string | null

export type Page = {
  type: 'page'
  /** The title of the document, without the product's name. */
  title: string
  status?: number
  /** The marked section of the menu; undefined: the page has no menu. */
  section?: Section | 'operator' | 'account'
  main: VNode
  /** For public pages: the description in search engines and link previews. */
  front?: string
  /** The address that the browser opens next by itself, such as the operator's provider. */
  leadsTo?: string
  session?: SetSession
  /** Null: the sign-in is over. */
  signInUnderWay?: SignInUnderWay | null
}

export type Redirect = {
  type: 'redirect'
  /** A path below the dashboard, such as `/sign-in`, or an absolute address of ours for single sign-on. */
  to: string
  /** A notice that the next page shows; one of `notices`. */
  notice?: Notice
  flash?: Flash
  session?: SetSession
  signInUnderWay?: SignInUnderWay | null
}

/** A file to show or to save. `name`: the name to save it under. */
export type Download = { type: 'download'; name: string; mediaType: string; body: string }

/** A file that is sent while it is made. If a part throws, the file breaks off, and its reader sees that. */
export type MadeFile = { type: 'file'; name: string; mediaType: string; parts: AsyncIterable<string | Uint8Array> }

/** Live events. The stream ends when `run` resolves. */
export type Stream = {
  type: 'stream'
  run(send: (event: { id?: number; event: string; data: unknown }) => Promise<void>, signal: AbortSignal): Promise<void>
}

/** A picture of a page, which browsers cache for a while. Null: there is none, and its place stays empty. */
export type Picture = { type: 'picture'; jpeg: Uint8Array | null; maxAgeSeconds: number }

/** JSON for an island. */
export type Data = { type: 'data'; status?: number; body: unknown }

export type Answer = Page | Redirect | Download | MadeFile | Stream | Picture | Data

/**
 * A path below the dashboard, with its methods. Thrown errors become pages. Forms are answered with a redirect, so that
 * reloading a page or going back never sends a form again. Only long ones that a script sent are answered with a page.
 */
export type Route = {
  /** In the syntax of Express: `/org/:orgId/jobs/:jobId`. */
  path: string
} & (
  | {
      access: 'anyone'
      get?: (context: PageContext) => Answer | Promise<Answer>
      post?: (context: PageContext) => Redirect | Promise<Redirect>
    }
  | {
      access: 'person' | 'operator'
      get?: (context: PersonPageContext) => Answer | Promise<Answer>
      post?: (context: PersonPageContext) => Redirect | Promise<Redirect>
    }
  | {
      access: 'member' | 'owner'
      get?: (context: OrgPageContext) => Answer | Promise<Answer>
      post?: (context: OrgPageContext) => Redirect | Promise<Redirect>
    }
  | {
      access: 'member'
      /** A part of pages that the rate limits have counted already, so its own requests are not counted. */
      isOfPage: true
      get: (context: OrgPageContext) => Picture | Promise<Picture>
      post?: undefined
    }
  | {
      access: 'member'
      /** The input can be too long for a flash. If the context `isInPlace`, the answer itself may be a page. */
      isLong: true
      get?: (context: OrgPageContext) => Answer | Promise<Answer>
      post: (context: OrgPageContext) => Redirect | Page | Promise<Redirect | Page>
    }
)

export const page = (given: Omit<Page, 'type'>): Page => ({ type: 'page', ...given })
export const redirect = (to: string, more: Omit<Redirect, 'type' | 'to'> = {}): Redirect => ({
  type: 'redirect',
  to,
  ...more,
})

/** The path of an organization's section, below the dashboard. */
export const pathOf = (orgId: string, section: Section): string =>
  section === 'overview' ? `/org/${orgId}` : `/org/${orgId}/${section}`
