/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'
import type { ListedJob } from '#contracts/generated/http.ts'
import { Missing, type OrMissing } from '../../look/missing.tsx'
import { formatNumber, Scroll, TableHead, Time } from '../../look/parts.tsx'
import { nameOf, StandingBadge, standingOf } from '../jobs/job-words.tsx'

/** The newest jobs, with a link to all of them. */
export const LastJobs = ({ jobs, base }: { jobs: OrMissing<ListedJob[]>; base: string }): VNode => (
  <section>
    <div class="head">
      <h2>Recent jobs</h2>
      <a href={`${base}/jobs`}>All jobs</a>
    </div>
    {jobs.missing ? <Missing what="Your jobs" /> : <Rows jobs={jobs.value} base={base} />}
  </section>
)

const Rows = ({ jobs, base }: { jobs: readonly ListedJob[]; base: string }): VNode => (
  <Scroll label="Recent jobs">
    <table class="stacked">
      <caption class="hidden">The newest jobs first</caption>
      <TableHead columns={['Video', 'Type', 'State', { number: 'Credits' }, 'When']} />
      <tbody>
        {jobs.map((job) => (
          <tr key={job.jobId}>
            <td data-label="Video">
              <a href={`${base}/jobs/${job.jobId}`}>{nameOf(job)}</a>
            </td>
            <td data-label="Type">{job.kind === 'transcript' ? 'Transcript' : 'Extraction'}</td>
            <td data-label="State">
              <StandingBadge of={standingOf(job)} />
            </td>
            <td data-label="Credits" class="number">
              {job.creditsCharged === null ? '–' : formatNumber(job.creditsCharged)}
            </td>
            <td data-label="When">
              <Time at={job.createdAt} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </Scroll>
)
