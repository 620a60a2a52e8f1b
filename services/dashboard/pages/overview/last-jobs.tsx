/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'
import type { ListedJob } from '#contracts/generated/http.ts'
import { Missing, type OrMissing } from '../../look/missing.tsx'
import { formatNumber, Scroll, TableHead, Time } from '../../look/parts.tsx'
import { nameOf, StandingBadge, standingOf } from '../jobs/job-words.tsx'
import { type PictureOf, Thumbnail } from '../jobs/thumbnails.tsx'

type Parts = { base: string; pictureOf: PictureOf }

/** The newest jobs, with a link to all jobs. */
export const LastJobs = ({ jobs, ...parts }: Parts & { jobs: OrMissing<ListedJob[]> }): VNode => (
  <section>
    <div class="head">
      <h2>Recent jobs</h2>
      <a href={`${parts.base}/jobs`}>All jobs</a>
    </div>
    {jobs.missing ? <Missing what="Your jobs" /> : <Rows jobs={jobs.value} {...parts} />}
  </section>
)

const Rows = ({ jobs, base, pictureOf }: Parts & { jobs: readonly ListedJob[] }): VNode => (
  <Scroll label="Recent jobs">
    <table class="stacked">
      <caption class="hidden">The newest jobs first</caption>
      <TableHead columns={['Video', 'Type', 'State', { number: 'Credits' }, 'When']} />
      <tbody>
        {jobs.map((job) => (
          <tr key={job.jobId}>
            <td class="lead">
              <div class="video">
                <Thumbnail src={pictureOf(job)} />
                <a href={`${base}/jobs/${job.jobId}`}>{nameOf(job)}</a>
              </div>
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
