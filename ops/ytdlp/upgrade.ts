import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, readFile, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'

/**
 * The channels of yt-dlp for workers: that of this release, a release that has been out for a day, a nightly build, or
 * the newest release. Its companions come with it: curl_cffi, yt-dlp-ejs, certifi, the token plugin.
 */
export const channels = ['pinned', 'stable', 'nightly', 'newest'] as const
export type Channel = (typeof channels)[number]

export type UpgradeOptions = {
  channel: Channel
  /** A folder that has one folder for each of the last two upgrades, and `current`, a link to the one in use. */
  folder: string
  /** The interpreter of the virtual environment with the pinned packages. */
  python: string
  /** Tests packages before workers get them. @throws Error with what does not work */
  selfTest: (packages: string) => Promise<void>
  say: (line: string) => void
}

type Package = { name: string; version: string; sha256: string }

/** The packages of an upgrade, and the pinned yt-dlp that it was made for. */
type Upgrade = { pinned: string; packages: Package[] }

const CURRENT = 'current'
const LIST = 'upgrade.json'
/** After a day, a malicious or broken release has usually been withdrawn. */
const ONE_DAY = '--uploaded-prior-to=P1D'
const PIP_TIMEOUT_MS = 300_000

/**
 * Installs the packages of a channel for workers that start from now on. Only one process may write to `folder`.
 * @throws Error they are not available or fail the self-test; the current ones stay in use
 */
export async function upgradeYtdlp(options: UpgradeOptions): Promise<void> {
  const { channel, folder, say } = options
  await mkdir(folder, { recursive: true })
  const pinned = await pinnedPackages(options)
  const version = pinned.get('yt-dlp') ?? ''
  const old = await currentUpgrade(folder)
  if (channel === 'pinned' || (old && old.pinned !== version)) await rm(join(folder, CURRENT), { force: true })
  if (channel === 'pinned') return say(`yt-dlp ${version}, as pinned in this release`)

  const before = old?.pinned === version ? new Map(old.packages.map((one) => [one.name, one.version])) : pinned
  const packages = await newestPackages(options, version)
  if (packages.every(({ name, version }) => before.get(name) === version))
    return say(`yt-dlp ${before.get('yt-dlp')}: nothing newer (${channel})`)
  for (const one of packages) say(changeOf(one, before.get(one.name)))
  await install(options, { pinned: version, packages })
  say('All of it passed its test on the sandbox: workers take it from their next start on')
}

const changeOf = ({ name, version, sha256 }: Package, before = 'none'): string =>
  `${name} ${before === version ? '' : `${before} → `}${version} (sha256:${sha256})`

async function install({ folder, python, selfTest }: UpgradeOptions, upgrade: Upgrade): Promise<void> {
  await removeAllBut(folder, [CURRENT, await currentName(folder)])
  const making = await mkdtemp(join(folder, 'making-'))
  try {
    const target = join(making, 'packages')
    const requirements = join(making, 'requirements.txt')
    const lines = upgrade.packages.map(({ name, version, sha256 }) => `${name}==${version} --hash=sha256:${sha256}\n`)
    await writeFile(requirements, lines.join(''))
    await pip(python, ['install', '--quiet', '--no-deps', '--require-hashes', '--target', target, '-r', requirements])
    await selfTest(target)
    await writeFile(join(making, LIST), JSON.stringify(upgrade))
    await chmod(making, 0o755) // the service may run as another user than the one who ran the setup
  } catch (error) {
    await rm(making, { recursive: true, force: true })
    throw error
  }
  const name = basename(making).replace('making-', 'upgrade-')
  await rename(making, join(folder, name))
  await point(folder, name)
}

/**
 * Returns workers to the upgrade before the current one. A repeat returns to the newer one. @throws Error there is none
 */
export async function takePrevious({ folder, say }: Pick<UpgradeOptions, 'folder' | 'say'>): Promise<void> {
  const current = await currentName(folder)
  const names = await readdir(folder).catch(() => [])
  const other = names.find((name) => name.startsWith('upgrade-') && name !== current)
  if (current === '' || other === undefined) throw new Error('no upgrade before this one is kept')
  await point(folder, other)
  const version = (await currentUpgrade(folder))?.packages.find(({ name }) => name === 'yt-dlp')?.version
  say(`yt-dlp ${version}, as before: workers take it from their next start on`)
}

/** A link cannot be replaced, but renaming a file over another is atomic. */
async function point(folder: string, name: string): Promise<void> {
  const link = join(folder, 'next')
  await symlink(name, link)
  await rename(link, join(folder, CURRENT))
}

/** The previous one stays: running workers use it, and load parts of it late. */
async function removeAllBut(folder: string, kept: string[]): Promise<void> {
  for (const name of await readdir(folder))
    if (!kept.includes(name)) await rm(join(folder, name), { recursive: true, force: true })
}

/** The folder of the upgrade in use; empty if there is none. */
const currentName = (folder: string): Promise<string> => readlink(join(folder, CURRENT)).catch(() => '')

async function currentUpgrade(folder: string): Promise<Upgrade | undefined> {
  const path = join(folder, CURRENT, LIST)
  return existsSync(path) ? (JSON.parse(await readFile(path, 'utf8')) as Upgrade) : undefined
}

/** Versions of the pinned packages, by name. */
async function pinnedPackages({ python }: UpgradeOptions): Promise<Map<string, string>> {
  const list = JSON.parse(await pip(python, ['list', '--format=json'])) as { name: string; version: string }[]
  return new Map(list.map(({ name, version }) => [canonical(name), version]))
}

/** The newest version of every package: pip sees no installed packages in a target folder of its own. */
async function newestPackages({ channel, python, folder }: UpgradeOptions, pinned: string): Promise<Package[]> {
  // pip installs pre-release builds only if the requirement names one
  const wanted = `yt-dlp[default,curl-cffi]>=${pinned}${channel === 'nightly' ? '.dev0' : ''}`
  const age = channel === 'stable' ? [ONE_DAY] : []
  const target = join(folder, 'none')
  const report = await pip(python, [
    ...['install', '--quiet', '--dry-run', '--report=-', `--target=${target}`, '--only-binary=:all:', ...age],
    ...[wanted, 'bgutil-ytdlp-pot-provider'],
  ])
  const { install } = JSON.parse(report) as { install: Reported[] }
  return install.map(({ metadata: { name, version }, download_info: { archive_info } }) => {
    return { name: canonical(name), version, sha256: archive_info.hashes.sha256 }
  })
}

type Reported = {
  metadata: { name: string; version: string }
  download_info: { archive_info: { hashes: { sha256: string } } }
}

const canonical = (name: string): string => name.toLowerCase().replace(/[-_.]+/g, '-')

/** @returns its standard output @throws Error with pip's last lines */
async function pip(python: string, words: string[]): Promise<string> {
  const always = ['--no-input', '--disable-pip-version-check', '--no-cache-dir', '--timeout=15', '--retries=2']
  const limits = { timeout: PIP_TIMEOUT_MS, maxBuffer: 32 * 1024 * 1024 }
  try {
    return (await promisify(execFile)(python, ['-m', 'pip', ...always, ...words], limits)).stdout
  } catch (error) {
    const [said = 'it did not end in time'] = /^ERROR: .+/m.exec((error as { stderr?: string }).stderr ?? '') ?? []
    throw new Error(`pip: ${said}`, { cause: error })
  }
}
