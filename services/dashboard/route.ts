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
  /** Where the browser goes on by itself. */
  leadsTo?: string
  /** The address of a person that an operator looks for. */
  search?: string
  /** The form in the query may be carried out: its visitor has sent it. */
  mayRead?: true
  /** What a call of `Try it` was answered. */
  answered?: {
    status: number
    /** Missing where there is an error, which makes it. */
    body?: unknown
    tookMs: number
    /** `held`: credits; missing: not known. */
    job?: { jobId: string; held?: number }
    error?: FlashedError
  }
}

/** What the ingress tells of a request, and is told. */
export type About = {
  requestId: string
  /** The id that its answer names, and by which operators find it in the log. */
  shownId: string
  traceparent: string
  /** The remote address, as the limits group them. */
  address: string
  /** For the log and the trace. */
  isAboutJob(job: { jobId: string; traceId: string }): void
  /** The request began a job, or repeats the one that did: its span becomes part of the job's trace. */
  began(job: { jobId: string; traceparent: string }): void
  /** The request is about a job that another one began: its span follows the job's. */
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
  /** What a form has handed to this page; empty for POST. */
  flash: Flash
  visitor: Visitor | undefined
  /** Undefined where the path names none. */
  org: VisitedOrganization | undefined
  /** The base of absolute addresses, such as `https://video.example.com`, without a slash at its end. */
  baseUrl: string
  /** The token of the session cookie, where there is one. */
  sessionToken: string | undefined
  signInUnderWay: SignInUnderWay | undefined
  lastEventId: string | undefined
  /** Aborted when the visitor goes away or the server closes. */
  signal: AbortSignal
}

export type OrgPageContext = PageContext & { org: VisitedOrganization; visitor: Visitor }
export type PersonPageContext = PageContext & { visitor: Visitor }

/** What becomes of the session cookie: a new token, or none (null). */
export type SetSession = string | null

export type Page = {
  type: 'page'
  /** Of the document, without the product's name. */
  title: string
  status?: number
  /** The section of the menu that is marked; undefined: the page stands without a menu. */
  section?: Section | 'operator' | 'account'
  main: VNode
  /** A page that strangers find: what search engines and links to it say. */
  front?: string
  /** Where the browser goes on by itself, such as the operator's provider. */
  leadsTo?: string
  session?: SetSession
  /** Null: it is over. */
  signInUnderWay?: SignInUnderWay | null
}

export type Redirect = {
  type: 'redirect'
  /** Below the dashboard, such as `/sign-in`, or an absolute address of ours for single sign-on. */
  to: string
  /** A notice that the next page shows; one of `notices`. */
  notice?: Notice
  flash?: Flash
  session?: SetSession
  signInUnderWay?: SignInUnderWay | null
}

/** A file that is shown or saved. `name`: what it is saved as. */
export type Download = { type: 'download'; name: string; mediaType: string; body: string }

/** A file that is sent as it is made: where a part throws, it breaks off, so that its reader knows that it is not whole. */
export type MadeFile = { type: 'file'; name: string; mediaType: string; parts: AsyncIterable<string | Uint8Array> }

/** Live events. It ends when `send` has been called for the last one. */
export type Stream = {
  type: 'stream'
  run(send: (event: { id?: number; event: string; data: unknown }) => Promise<void>, signal: AbortSignal): Promise<void>
}

/** A picture of a page, which its visitor's browser keeps for a while; or null: there is none, and its place stays empty. */
export type Picture = { type: 'picture'; jpeg: Uint8Array | null; maxAgeSeconds: number }

/** JSON for an island. */
export type Data = { type: 'data'; status?: number; body: unknown }

export type Answer = Page | Redirect | Download | MadeFile | Stream | Picture | Data

/**
 * A path below the dashboard, with its methods. Errors that are thrown become pages. A form is answered by a redirect only,
 * but for long ones: no page that is loaded again, or gone back to, sends one once more.
 */
export type Route = {
  /** As Express has it: `/org/:orgId/jobs/:jobId`. */
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
      /** It is a part of pages, which have been counted: it counts for no limit itself. */
      isOfPage: true
      get: (context: OrgPageContext) => Picture | Promise<Picture>
      post?: undefined
    }
  | {
      access: 'member'
      /** What is typed is too long for a flash: the answer itself shows it again. Sent twice, the form does one thing. */
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

/** Where a section of an organization lies, below the dashboard. */
export const pathOf = (orgId: string, section: Section): string =>
  section === 'overview' ? `/org/${orgId}` : `/org/${orgId}/${section}`
