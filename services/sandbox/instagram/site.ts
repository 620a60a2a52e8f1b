import type { CatalogueVideo } from '../catalogue.ts'
import type { Media } from '../media.ts'
import { oembedOf } from '../oembed.ts'
import { isSignedIn, redirectTo, type SandboxAnswer, type SandboxRequest, type Site } from '../site.ts'
import { type InstagramPost, instagramCreators, instagramPictures, instagramVideos } from './catalogue.ts'
import { address, cdnHosts, file } from './cdn.ts'
import { mediaIdOf } from './media-id.ts'
import { productOf } from './product.ts'
import { pageTimeline, pageUser, profileInfo } from './profile.ts'

/** `i.instagram.com/api/v1/oembed/`, an interface of Instagram's app. */
const instagramOembed = oembedOf(instagramVideos, ({ description, creator, film }) => ({
  title: description,
  author_name: creator.handle,
  author_url: `https://www.instagram.com/${creator.handle}`,
  thumbnail_url: address(film, 'thumbnail'),
}))

/** A token in every page, which the interface requires. */
const LSD = 'AdSandboxLsdToken'

/** A page of Instagram with the initial data of its scripts. Without data it shows guests nothing. */
const page = (data: object = {}): SandboxAnswer => ({ status: 200, page: { data, render: html } })

function html(data: object): string {
  const cache = [
    'RelayPrefetchedStreamCache',
    'next',
    [],
    ['adp_PolarisLoggedOutDesktopWWW', { __bbox: { result: { data } } }],
  ]
  const scripts = { require: [['ScheduledServerJS', 'handle', null, [{ __bbox: { require: [cache] } }]]] }
  const isEmpty = Object.keys(data).length === 0
  return `<!DOCTYPE html><html lang="en"><head><title>Instagram</title>
<script type="application/json" id="__eqmc" nonce="sandbox">{"u":"\\/ajax\\/qm\\/?__a=1","e":"sandbox","s":"sandbox","w":0,"f":"","l":"${LSD}"}</script></head><body>
${isEmpty ? '' : `<script type="application/json" data-content-len="1" data-sjs>${inScript(scripts)}</script>`}
</body></html>`
}

const inScript = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003C')

const posts: readonly InstagramPost[] = [...instagramVideos, ...instagramPictures]
const CSRF = 'sandboxCsrfToken'

/** www.instagram.com with its interfaces and share links, and the hosts of its films and pictures. */
export const instagramSites = (media: Media): Site[] => [
  { hosts: ['www.instagram.com'], answer: (request) => answer(request, media) },
  {
    hosts: ['instagram.com', 'm.instagram.com'],
    answer: ({ url }) => redirectTo(`https://www.instagram.com${url.pathname}`),
  },
  { hosts: ['i.instagram.com'], answer: app },
  { hosts: cdnHosts, answer: ({ url }) => file(url, media) },
]

/** Answers only Instagram's app. */
function app(request: SandboxRequest): SandboxAnswer | undefined {
  const isApp = String(request.headers['user-agent']).startsWith('Instagram ')
  if (request.url.pathname !== '/api/v1/oembed/') return undefined
  return isApp ? instagramOembed(request) : { status: 400, body: { message: 'useragent mismatch', status: 'fail' } }
}

const signIn = ({ pathname }: URL): SandboxAnswer => redirectTo(`/accounts/login/?next=${encodeURIComponent(pathname)}`)
const gone: SandboxAnswer = { status: 404, body: '<!DOCTYPE html><title>Page not found • Instagram</title>' }
const tooMany: SandboxAnswer = { status: 429, body: { message: 'Please wait a few minutes.', status: 'fail' } }
const wait: SandboxAnswer = {
  status: 401,
  body: { message: 'Please wait a few minutes before you try again.', require_login: true, status: 'fail' },
}

function answer(request: SandboxRequest, media: Media): SandboxAnswer | undefined {
  const { url } = request
  switch (url.pathname) {
    case '/':
    case '/accounts/login/':
      return page()
    case '/api/v1/web/get_ruling_for_content/':
      return ruling(byMediaId(url.searchParams.get('target_id')))
    case '/api/graphql':
      return graphql(request, media)
    case '/api/v1/users/web_profile_info/':
      return profile(request)
  }
  const [, pk] = /^\/api\/v1\/media\/(\d+)\/info\/$/.exec(url.pathname) ?? []
  if (pk !== undefined) return mediaInfo(byMediaId(pk), request, media)
  const [first = '', second = '', third = ''] = url.pathname.slice(1).split('/')
  if (first === 'share') return shareLink(third === '' ? second : third)
  if (first === 'p' || first === 'reel')
    return postPage(
      posts.find(({ id }) => id === second),
      url,
      media,
    )
  return second === '' ? profilePage(first, request) : undefined
}

const byMediaId = (id: unknown): InstagramPost | undefined => posts.find((post) => mediaIdOf(post.id) === id)

/** A post for signed-in callers, who follow all creators. */
function mediaInfo(post: InstagramPost | undefined, request: SandboxRequest, media: Media): SandboxAnswer {
  if (!isSignedIn(request)) return signIn(request.url)
  if (!post || post.trouble === 'deleted') return { ...gone, body: { message: 'Media not found', status: 'fail' } }
  return { status: 200, body: { items: [productOf(post, media)] } }
}

/** The answer that says whether guests may see a post, and why not. */
function ruling(post: InstagramPost | undefined): SandboxAnswer {
  if (post?.trouble === 'bot_check') return tooMany
  const restricted = {
    title: 'Restricted Video',
    description: 'You must be 18 years old or over to see this video',
  }
  return {
    status: 200,
    headers: { 'set-cookie': `csrftoken=${CSRF}; Domain=.instagram.com; Path=/; Secure` },
    body: { ...(post?.trouble === 'age_restricted' && restricted), status: 'ok' },
  }
}

/** The query that a post's page sends for guests. */
function graphql({ method, headers, body }: SandboxRequest, media: Media): SandboxAnswer | undefined {
  if (method !== 'POST') return undefined
  const form = new URLSearchParams(body.toString())
  const isOfPage = form.get('lsd') === LSD && headers['x-fb-lsd'] === LSD && headers['x-csrftoken'] === CSRF
  if (!isOfPage || !form.has('doc_id')) return { status: 403, body: { status: 'fail' } }
  const post = byMediaId(JSON.parse(form.get('variables') ?? '{}').media_id)
  if (post?.trouble === 'bot_check') return tooMany
  return { status: 200, body: { data: polaris(post, media) } }
}

/** The data of a post for guests. It is `gated` if they have to sign in. */
function polaris(post: InstagramPost | undefined, media: Media): object {
  if (post?.trouble === 'login_required') return { xig_polaris_media: { if_not_gated_logged_out: null } }
  if (!post || post.trouble !== undefined) return { xig_polaris_media: null }
  const shown = productOf(post, media)
  return { xig_polaris_media: { if_not_gated_logged_out: shown, comments_connection: { edges: [] } } }
}

function postPage(post: InstagramPost | undefined, url: URL, media: Media): SandboxAnswer {
  const hidden: CatalogueVideo['trouble'][] = ['login_required', 'age_restricted', 'private']
  if (!post || post.trouble === 'deleted') return gone
  if (post.trouble === 'rate_limited') return signIn(url)
  if (post.trouble === 'bot_check') return tooMany
  return page(hidden.includes(post.trouble) ? undefined : polaris(post, media))
}

/** A link to a removed post leads to the front page. */
function shareLink(code: string): SandboxAnswer {
  const post = posts.find(({ shareCode }) => shareCode === code)
  return redirectTo(post ? `${post.url}?igsh=c2FuZGJveA==` : 'https://www.instagram.com/')
}

function profile(request: SandboxRequest): SandboxAnswer {
  const { url, headers } = request
  const creator = instagramCreators.find(({ handle }) => handle === url.searchParams.get('username'))
  if (!headers['x-ig-app-id']) return { status: 400, body: { message: 'useragent mismatch', status: 'fail' } }
  if (!creator) return { ...gone, body: { status: 'fail' } }
  if (creator.profile === 'wait' && !isSignedIn(request)) return wait
  if (creator.profile === 'page_only') return { status: 400, body: { message: 'Bad Request', status: 'fail' } }
  return { status: 200, body: profileInfo(creator, isSignedIn(request)) }
}

function profilePage(name: string, request: SandboxRequest): SandboxAnswer {
  const creator = instagramCreators.find(({ handle }) => handle === name)
  const isWalled = creator?.profile === 'wait' || creator?.profile === 'api_only'
  if (isWalled && !isSignedIn(request)) return signIn(new URL(`https://www.instagram.com/${name}/`))
  if (!creator) return gone
  const timeline = pageTimeline(creator, isSignedIn(request))
  return page({ xig_user_by_username: { ...pageUser(creator), polaris_ordered_timeline_connection: timeline } })
}
