import { urlFamilies } from './url-families.ts'
import type { SocialPlatform } from './url-family.ts'

/** How people write a platform's name. */
export const labelOf = (platform: SocialPlatform): string =>
  urlFamilies.find((family) => family.platform === platform)?.label ?? platform
