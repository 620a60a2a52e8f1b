import type { IncomingHttpHeaders } from 'node:http'
import type { Request, RequestHandler, Response } from 'express'
import type { ServiceError } from '#packages/foundation/errors/service-error.ts'
import type { Telemetry } from '#packages/telemetry/telemetry.ts'
import type { Answers } from '../answers/answers.ts'
import { contextOf, followJob, joinJob, joinUnknownJob, setContextHeaders } from '../requests/request-context.ts'

/**
 * The ingress's facts about a request for a page, and callbacks by which the page reports facts for the log and spans.
 */
export type PageRequest = {
  requestId: string
  /** The id in its answer: the caller's, if it sent a harmless one. */
  shownId: string
  /** The request's own span. */
  traceparent: string
  /** The remote address, as the limits group it. */
  address: string
  /** The visitor that `visitorOf` found. */
  visitor: unknown
  /** Resolves when it is this caller's turn to have an answer made. Rendering takes long. */
  turn(): Promise<void>
  /** Logs our own fault. */
  failed(error: ServiceError): void
  /** Names the route that serves it. */
  servedBy(route: string): void
  /** Names the organization that it is about. */
  isAbout(orgId: string): void
  /** Names the job that it is about, and that job's trace. */
  isAboutJob(job: { jobId: string; traceId: string }): void
  /** The request began a job, or repeats the one that did. Its span becomes part of the job's trace. */
  began(job: { jobId: string; traceparent: string }): void
  /** The request is about a job that another one began. Its span follows the job's. */
  follows(job: { jobId: string; traceparent: string }): void
  /** Marks the answer as a stream without a time limit. */
  lasts(): void
  /** The request may have begun a job. */
  mayHaveBegun(job: { jobId: string; isShared: boolean }): void
}

/** Pages of another service. They authenticate their visitors themselves. */
export type Pages = {
  /** Begins with a slash. */
  path: string
  /** The page that is served at `/`, as a path below `path`. */
  front: string
  /** The path of the files that all callers may load without limit. */
  assets: string
  /** Whole paths of the sign-in requests. */
  signIn: readonly string[]
  /** The sender of a request and its session; undefined if it has no session, or one that is over. */
  visitorOf(headers: IncomingHttpHeaders): Promise<unknown>
  /** The id of the person that `visitorOf` last found for this session, without reading anything. */
  heldVisitor(headers: IncomingHttpHeaders): string | undefined
  answer(request: Request, response: Response, about: PageRequest): void
}

type Parts = { answers: Answers; telemetry: Telemetry }

/** Hands everything below a path to its pages. Each answer is logged, measured and traced like the ingress's own. */
export const handToPages =
  ({ answers, telemetry }: Parts, pages: Pages): RequestHandler =>
  (request, response) => {
    const context = contextOf(response)
    context.route = pages.path
    response.once('close', () => answers.given(response))
    setContextHeaders(response)
    const nameJob = (): void => {
      if (context.job !== undefined) response.setHeader('X-Trace-Id', context.job.traceId)
    }
    const about: PageRequest = {
      requestId: context.requestId,
      shownId: context.shownId,
      traceparent: context.traceparent,
      address: context.address,
      visitor: context.visitor,
      failed: (error) => answers.failed(context, error, 'a page failed'),
      turn: () => new Promise((resolve) => context.inTurn(resolve)),
      servedBy(route) {
        context.route = pages.path + route
      },
      isAbout(orgId) {
        context.orgId = orgId
      },
      isAboutJob(job) {
        context.job = job
        nameJob()
      },
      began(job) {
        joinJob(context, job)
        nameJob()
      },
      follows(job) {
        followJob(context, job)
        nameJob()
      },
      lasts: () => context.lasts(),
      mayHaveBegun(job) {
        joinUnknownJob(context, job)
        nameJob()
      },
    }
    telemetry.within(context.traceparent, () => pages.answer(request, response, about))
  }
