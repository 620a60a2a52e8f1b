import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { InstagramProfile, SearchResult, TikTokProfile, VideoMetadata } from '#contracts/generated/http.ts'
import { type Client, clientOf, type Job } from './client.ts'
import { clockTime, entry, heading, print } from './page.ts'
import { register } from './register.ts'
import { startService } from './service.ts'

type Video = { url: string; mode: string; lang?: string }

/** One sandbox video of each platform, and the source of its transcript. */
const videos: readonly Video[] = [
  { url: 'https://www.youtube.com/watch?v=nvlHourCh01', mode: 'native' },
  { url: 'https://www.tiktok.com/@pageturners/video/7692131808313344001', mode: 'native' },
  { url: 'https://www.instagram.com/p/DSandFeed01/', mode: 'generate' },
  { url: 'https://x.com/pageturners/status/2039999999898554369', mode: 'native' },
  { url: 'https://www.facebook.com/watch/?v=1400000000000101', mode: 'native', lang: 'en' },
]

const PATIENCE_MS = 60_000
const labels = 26

const count = (value: number | null): string => value?.toLocaleString('en-US') ?? 'unknown'
const countOf = (what: string, value: number | null): string =>
  value === null ? `${what} unknown` : `${count(value)} ${what}`
const shortened = (text: string | null, length = 52): string =>
  text !== null && text.length > length ? `${text.slice(0, length)}…` : (text ?? 'no title')

async function transcriptOf(client: Client, video: Video): Promise<Job> {
  const { jobId } = await client.ask(video)
  for (const end = Date.now() + PATIENCE_MS; ; await sleep(100)) {
    const job = await client.poll(jobId)
    if (job.status !== 'queued') return job
    if (Date.now() > end) throw new Error(`job ${jobId} has not ended after ${PATIENCE_MS / 1000} s`)
  }
}

async function showVideo(client: Client, video: Video): Promise<void> {
  const found = await client.read<VideoMetadata>(`/v1/metadata?url=${encodeURIComponent(video.url)}`)
  const { resultJson, error } = await transcriptOf(client, video)
  if (!resultJson) throw new Error(`the transcript of ${video.url} failed: ${error?.code}: ${error?.message}`)
  const { source, language, segments, text } = resultJson
  const told = `${clockTime(found.duration ?? 0)}, ${countOf('views', found.viewCount)}, ${countOf('likes', found.likeCount)}`
  print('', `  ${video.url}`)
  print(entry('    metadata', `“${shortened(found.title)}” by ${found.author}; ${told}`, labels))
  print(entry(`    mode ${video.mode}`, `${source}, ${language ?? '?'}, ${segments.length} segments`, labels))
  print(entry('', `“${shortened(text, 100)}”`, labels))
}

async function showSearch(client: Client): Promise<void> {
  const path = '/v1/search?q=audiobook&limit=6'
  print(`  GET ${path}`)
  for (const { platform, title, author, stats } of await client.read<SearchResult[]>(path))
    print(entry(`    ${platform}`, `${shortened(title, 36)} (${author}, ${count(stats.views)} views)`, labels))
}

async function showCreators(client: Client): Promise<void> {
  const tiktok = '/v1/tiktok/profile?username=pageturners&limit=2'
  const { author, stats, videos } = await client.read<TikTokProfile>(tiktok)
  print(`  GET ${tiktok}`)
  print(entry(`    ${author.displayName}`, `${count(stats.followers)} followers, ${count(stats.likes)} likes`, labels))
  for (const { url } of videos) print(entry('', `${url}`, labels))
  const instagram = '/v1/instagram/profile?username=garden.almanac&limit=3'
  const profile = await client.read<InstagramProfile>(instagram)
  const { followers, posts } = profile.stats
  print('', `  GET ${instagram}`)
  print(entry(`    ${profile.author.displayName}`, `${count(followers)} followers, ${count(posts)} posts`, labels))
  for (const { type, url } of profile.videos) print(entry('', `${type}: ${url}`, labels))
}

/**
 * Reads one video of each platform, a search and two creators, from the sandbox.
 * @throws Error a read is refused
 */
export async function showPlatforms(env: NodeJS.ProcessEnv, folder: string): Promise<void> {
  heading('6. The five platforms, on the sandbox')
  print(
    entry(
      '  npm start -- --sandbox',
      'a stand-in for YouTube, TikTok, Instagram, X and Facebook on this machine, with invented creators; the real yt-dlp reads it',
      labels,
    ),
  )
  await using service = await startService({ env, args: ['--sandbox'], logFile: join(folder, 'platforms.log') })
  const { key } = await register({ ...env, DATA_DIR: join(env.DATA_DIR ?? '', 'sandbox') })
  const client = clientOf(service.base, key, 30_000)
  for (const video of videos) await showVideo(client, video)
  print(
    '',
    entry('  credits', `${await client.credits()} of 50 left: captions cost 1, speech 5, reads nothing`, labels),
  )
  heading('7. A search over all of them')
  await showSearch(client)
  heading('8. Two creators')
  await showCreators(client)
  await service.stop()
}
