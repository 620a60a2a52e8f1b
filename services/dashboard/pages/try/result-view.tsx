/** @jsxRuntime automatic @jsxImportSource preact */
import type { VNode } from 'preact'
import type { ProfileVideo, SearchResult } from '#contracts/generated/http.ts'
import { cutTo } from '#packages/content/results/html-weight.ts'
import { shownValue } from '#packages/content/results/shown-value.ts'
import { Day, formatNumber, OutLink, Scroll, TableHead } from '../../look/parts.tsx'
import { clockOf, platformLabels } from '../jobs/job-words.tsx'
import { ResultTree } from '../jobs/result-tree.tsx'

type Listed = SearchResult | ProfileVideo

/** The most videos that are shown of one answer, and the most bytes of a title. The JSON has the rest. */
const MAX_VIDEOS = 30
const MAX_TITLE_BYTES = 200

/**
 * The result of a lookup for reading: videos as a table, anything else as a tree.
 * @param transcripts the path of the form that requests a transcript
 */
export function ResultView({ body, transcripts }: { body: unknown; transcripts: string }): VNode {
  const videos = videosIn(body)
  if (videos !== undefined && videos.length > 0) return <Videos videos={videos} transcripts={transcripts} />
  return (
    <div class="tree-box">
      <ResultTree value={shownValue(body)} />
    </div>
  )
}

/** The videos of a search, a profile, a channel or a playlist. */
function videosIn(body: unknown): readonly Listed[] | undefined {
  if (Array.isArray(body)) return body
  return (body as { videos?: readonly Listed[] } | null)?.videos
}

const Videos = ({ videos, transcripts }: { videos: readonly Listed[]; transcripts: string }): VNode => (
  <>
    <Scroll label="Videos">
      <table class="stacked">
        <caption class="hidden">Videos that were found</caption>
        <TableHead columns={['Video', { number: 'Views' }, 'Published', 'Transcript']} />
        <tbody>
          {videos.slice(0, MAX_VIDEOS).map((video) => (
            <Row key={video.url} video={video} transcripts={transcripts} />
          ))}
        </tbody>
      </table>
    </Scroll>
    {videos.length > MAX_VIDEOS && <p class="quiet small">{`And ${videos.length - MAX_VIDEOS} more: see the JSON.`}</p>}
  </>
)

function Row({ video, transcripts }: { video: Listed; transcripts: string }): VNode {
  const { title, url, platform, stats, createdAt } = video
  const seconds = 'media' in video ? video.media.duration : video.duration
  const about = [
    ...('author' in video && video.author ? [cutTo(video.author, MAX_TITLE_BYTES)] : []),
    platformLabels.get(platform) ?? platform,
    ...(seconds === null ? [] : [clockOf(seconds)]),
  ]
  return (
    <tr>
      <td class="lead">
        <OutLink href={url}>{cutTo(title?.trim() || url, MAX_TITLE_BYTES)}</OutLink>
        <span class="quiet small under">{about.join(' · ')}</span>
      </td>
      <td data-label="Views" class="number">
        {stats.views === null ? '–' : formatNumber(stats.views)}
      </td>
      <td data-label="Published">{createdAt === null ? '–' : <Day at={createdAt} />}</td>
      <td>
        <a class="nowrap" href={`${transcripts}?${new URLSearchParams({ url })}`}>
          Get transcript
        </a>
      </td>
    </tr>
  )
}
