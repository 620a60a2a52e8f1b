import { expect } from 'chai'
import { registrableDomain } from './registrable-domain.ts'

describe('the registrable domain', () => {
  const domains = {
    'https://www.youtube.com/watch?v=a': 'youtube.com',
    'media.example.co.uk:8443': 'example.co.uk',
    'https://ann.github.io/talk.mp4': 'ann.github.io',
    'https://github.io/': 'github.io',
    'http://127.0.0.1:8080/a.mp4': '127.0.0.1',
    'https://[2001:db8::1]:443/a.mp4': '2001:db8::1',
    'https://localhost/a.mp4': 'localhost',
    'https://XN--BCHER-KVA.example/': 'xn--bcher-kva.example',
  }
  for (const [of, domain] of Object.entries(domains))
    it(`of ${of} is ${domain}`, () => expect(registrableDomain(of)).to.equal(domain))
})
