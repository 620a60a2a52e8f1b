import type { IncomingMessage } from 'node:http'
import { expect } from 'chai'
import { addressesBy, addressGroupOf } from './address-group.ts'

describe('one remote address', () => {
  it('is an IPv4 address, in either spelling', () => {
    expect(addressGroupOf('203.0.113.7')).to.equal('203.0.113.7')
    expect(addressGroupOf('::ffff:203.0.113.7')).to.equal('203.0.113.7')
    expect(addressGroupOf('203.0.113.8')).to.not.equal(addressGroupOf('203.0.113.7'))
  })

  it('is the /64 of an IPv6 address', () => {
    const one = addressGroupOf('2001:db8:1:2::1')
    expect(addressGroupOf('2001:db8:1:2:ffff:ffff:ffff:ffff')).to.equal(one)
    expect(addressGroupOf('2001:db8:1:3::1')).to.not.equal(one)
  })

  it('is the whole of this machine', () => {
    for (const address of ['127.0.0.1', '127.200.3.4', '::1', '::ffff:127.0.0.9'])
      expect(addressGroupOf(address), address).to.equal('loopback')
    expect(addressGroupOf(undefined)).to.equal('')
  })
})

describe('the address of a caller', () => {
  const from = (headers: Record<string, string>) =>
    ({ headers, socket: { remoteAddress: '10.0.0.1' } }) as unknown as IncomingMessage

  it('is that of the connection, whatever headers a caller sends', () => {
    expect(addressesBy(undefined)(from({ 'x-real-ip': '203.0.113.7' }))).to.equal('10.0.0.1')
  })

  it('is the one in the configured proxy header, if that is a valid address', () => {
    const addressOf = addressesBy('x-real-ip')
    expect(addressOf(from({ 'x-real-ip': '203.0.113.7' }))).to.equal('203.0.113.7')
    for (const told of ['203.0.113.7, 203.0.113.8', 'somebody', ''])
      expect(addressOf(from({ 'x-real-ip': told }))).to.equal('10.0.0.1')
  })
})
