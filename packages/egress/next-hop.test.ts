import { expect } from 'chai'
import { createNextHops } from './next-hop.ts'

describe('the country of an exit', () => {
  it("is the platform's own, else the one for all, even if all platforms share one proxy", () => {
    const hops = createNextHops({
      proxy: 'http://u-{country}-{session}:p@gw.example:1',
      platformProxies: { x: 'socks5h://u:p@{country}.x.example' },
      country: 'us',
      platformCountries: { tiktok: 'de', x: 'fr', youtube: undefined },
    })
    const of = (platform: string | undefined) => {
      const { name, address, via, proxy } = hops.of(platform, 'a1')
      expect(hops.named(name)).to.deep.include({ name, address, proxy })
      return [address, via, proxy?.username]
    }
    expect(of('youtube')).to.deep.equal(['gw.example:1#us.a1', 'proxy', 'u-us-a1'])
    expect(of(undefined)).to.deep.equal(of('youtube'))
    expect(of('tiktok')).to.deep.equal(['gw.example:1#de.a1', 'proxy', 'u-de-a1'])
    expect(of('x')).to.deep.equal(['fr.x.example:1080', 'platform_proxy', 'u'])
  })

  it('changes nothing if a proxy does not use it', () => {
    const hops = createNextHops({ proxy: 'http://gw.example:1', platformProxies: {}, platformCountries: { x: 'fr' } })
    expect(hops.of('x', 'a1')).to.deep.equal(hops.of('youtube', 'a1'))
  })
})
