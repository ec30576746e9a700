import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Arrival, channels, classify, mediumRules, paidClickIds } from '../../domain/channels.ts'
import { reduceUrl } from '../../domain/click.ts'

const arrive = (query: string, referrer: string | null = null, ownHosts: string[] = []): Arrival => {
  const { url, utm, clickIds, campaignRef, adSetRef, adRef } = reduceUrl(`https://www.clinic.cl/?${query}`)
  return { url, utm, clickIds, campaignRef, adSetRef, adRef, referrer, ownHosts }
}
const verdict = (query: string, referrer?: string | null, ownHosts?: string[]) => {
  const { channel, source, medium } = classify(arrive(query, referrer, ownHosts))
  return [channel, source, medium].join(' ')
}

describe('click ids decide first', () => {
  test.each([
    ['gclid=1', 'paid_search google cpc'],
    ['wbraid=1', 'paid_search google cpc'],
    ['gbraid=1', 'paid_search google cpc'],
    ['gad_source=1', 'paid_search google cpc'],
    ['msclkid=1', 'paid_search bing cpc'],
    ['ttclid=1', 'paid_social tiktok cpc'],
    ['li_fat_id=1', 'paid_social linkedin cpc'],
    ['twclid=1', 'paid_social x cpc'],
    ['ctwa_clid=1', 'messaging facebook ctwa'],
    ['gclid=1&utm_source=google&utm_medium=organic', 'paid_search google cpc'],
    ['gclid=1&utm_source=google&utm_medium=display', 'display google display'],
    ['ttclid=1&utm_medium=paid', 'paid_social tiktok cpc'],
  ])('%s', (query, expected) => {
    expect(verdict(query, 'https://www.google.com/')).toBe(expected)
  })

  test('every paid click id has its row above', () => {
    expect(paidClickIds.map(([name]) => name).sort()).toEqual(
      ['ctwa_clid', 'gad_source', 'gbraid', 'gclid', 'li_fat_id', 'msclkid', 'ttclid', 'twclid', 'wbraid'].sort(),
    )
  })
})

describe('a bare fbclid is social, not paid', () => {
  test.each([
    ['fbclid=1', null, 'organic_social facebook social'],
    ['fbclid=1', 'https://l.instagram.com/', 'organic_social instagram social'],
    ['fbclid=1', 'https://www.google.com/', 'organic_social facebook social'],
    ['fbclid=1&utm_source=fb&utm_medium=cpc', null, 'paid_social facebook cpc'],
    ['fbclid=1&utm_source=news&utm_medium=email', null, 'email news email'],
    ['fbclid=1&svc_ad_id=12&utm_source=ig', null, 'paid_social instagram cpc'],
  ])('%s from %s', (query, referrer, expected) => {
    expect(verdict(query, referrer)).toBe(expected)
  })
})

describe('tags come next', () => {
  const rows: [string, string][] = [
    ['utm_source=google&utm_medium=paid-search', 'paid_search google paid-search'],
    ['utm_source=google&utm_medium=sem', 'paid_search google sem'],
    ['utm_source=meta&utm_medium=paid_social', 'paid_social facebook paid_social'],
    ['utm_source=x&utm_medium=Social%20Ads', 'paid_social x social ads'],
    ['utm_source=news.com&utm_medium=banner', 'display news.com banner'],
    ['utm_source=blog&utm_medium=affiliate', 'affiliate blog affiliate'],
    ['utm_source=google&utm_medium=cpc', 'paid_search google cpc'],
    ['utm_source=fb&utm_medium=ppc', 'paid_social facebook ppc'],
    ['utm_source=portal&utm_medium=cpc', 'paid_other portal cpc'],
    ['utm_source=tiktok&utm_medium=paidvideo', 'paid_social tiktok paidvideo'],
    ['utm_source=instagram&utm_medium=cpm', 'paid_social instagram cpm'],
    ['utm_source=mailchimp&utm_medium=e-mail', 'email mailchimp e-mail'],
    ['utm_source=mailchimp&utm_medium=newsletter', 'email mailchimp newsletter'],
    ['utm_source=twilio&utm_medium=sms', 'sms twilio sms'],
    ['utm_source=app&utm_medium=web-push', 'push app web-push'],
    ['utm_source=campaign&utm_medium=whatsapp', 'messaging campaign whatsapp'],
    ['utm_source=ig&utm_medium=social', 'organic_social instagram social'],
    ['utm_source=google&utm_medium=organic', 'organic_search google organic'],
    ['utm_source=facebook&utm_medium=organic', 'organic_social facebook organic'],
    ['utm_source=gmb&utm_medium=organic', 'organic_search gmb organic'],
    ['utm_source=chatgpt.com&utm_medium=referral', 'ai_assistant chatgpt referral'],
    ['utm_source=widget&utm_medium=llm', 'ai_assistant widget llm'],
    ['utm_source=partner.cl&utm_medium=referral', 'referral partner.cl referral'],
    ['utm_source=chatgpt.com', 'ai_assistant chatgpt '],
    ['utm_source=whatsapp', 'messaging whatsapp '],
    ['utm_source=poster&utm_medium=qr', 'other poster qr'],
    ['utm_campaign=spring', 'other  '],
    ['svc_ad_id=1&utm_source=google', 'paid_search google cpc'],
    ['svc_campaign_id=1', 'paid_other  cpc'],
  ]
  test.each(rows)('%s', (query, expected) => {
    expect(verdict(query, 'https://www.bing.com/')).toBe(expected)
  })

  test('every rule for utm_medium has a row above', () => {
    const mediums = rows.map(([query]) =>
      (new URLSearchParams(query).get('utm_medium') ?? '').toLowerCase().replace(/[\s-]+/g, '_'),
    )
    expect(mediumRules.filter(([shape]) => !mediums.some((medium) => shape.test(medium)))).toEqual([])
  })

  test('tags that say nothing are none', () => {
    expect(verdict('utm_source=(direct)&utm_medium=(none)', 'https://www.bing.com/')).toBe(
      'organic_search bing organic',
    )
  })
})

describe('the referrer comes last', () => {
  test.each([
    ['https://www.google.cl/', 'organic_search google organic'],
    ['https://www.google.com.ar/', 'organic_search google organic'],
    ['android-app://com.google.android.googlequicksearchbox/', 'organic_search google organic'],
    ['https://duckduckgo.com/', 'organic_search duckduckgo organic'],
    ['https://m.facebook.com/', 'organic_social facebook social'],
    ['https://t.co/abc', 'organic_social x social'],
    ['https://www.pinterest.co.uk/', 'organic_social pinterest social'],
    ['https://mail.google.com/mail', 'email gmail email'],
    ['https://webmail.isp.cl/', 'email webmail.isp.cl email'],
    ['https://web.whatsapp.com/', 'messaging whatsapp messaging'],
    ['https://chatgpt.com/', 'ai_assistant chatgpt ai'],
    ['https://www.perplexity.ai/', 'ai_assistant perplexity ai'],
    ['https://gemini.google.com/', 'ai_assistant gemini ai'],
    ['https://www.partner.com/blog', 'referral partner.com referral'],
    ['https://notgoogle.com/', 'referral notgoogle.com referral'],
  ])('%s', (referrer, expected) => {
    expect(verdict('', referrer)).toBe(expected)
  })
})

describe('direct is no click id, no tag, no foreign referrer', () => {
  test.each([
    ['nothing at all', null, []],
    ['the same host', 'https://www.clinic.cl/a', []],
    ['another host of the site', 'https://booking.clinic.cl/', []],
    ['a host that the profile owns', 'https://pay.other-brand.com/', ['other-brand.com']],
    ['a payment provider', 'https://checkout.stripe.com/pay', []],
    ['a payment provider under another country', 'https://www.mercadopago.com.ar/', []],
    ['a bank page of Webpay', 'https://webpay3g.transbank.cl/', []],
    ['a sign-in page', 'https://accounts.google.com/', []],
  ])('%s', (_, referrer, ownHosts) => {
    expect(classify(arrive('', referrer, ownHosts))).toEqual({
      channel: 'direct',
      source: null,
      medium: null,
      isDirect: true,
      signature: '',
    })
  })

  test('two customers of one shop system are two sites', () => {
    const arrival = { ...arrive(''), url: 'https://a.myshopify.com/', referrer: 'https://b.myshopify.com/' }
    expect(classify(arrival).channel).toBe('referral')
  })
})

describe('the signature names the campaign', () => {
  const signature = (query: string, referrer?: string) => classify(arrive(query, referrer)).signature

  test('it is the same for the same campaign, whatever the click', () => {
    expect(signature('utm_source=google&utm_medium=cpc&utm_campaign=a&gclid=1')).toBe(
      signature('utm_source=google&utm_medium=cpc&utm_campaign=a&gclid=2'),
    )
    expect(signature('', 'https://www.google.com/a')).toBe(signature('', 'https://www.google.cl/b'))
  })

  test.each([
    ['utm_source=google&utm_medium=cpc&utm_campaign=a', 'utm_source=google&utm_medium=cpc&utm_campaign=b'],
    ['svc_ad_id=1', 'svc_ad_id=2'],
    ['utm_id=1&utm_medium=cpc', 'utm_content=1&utm_medium=cpc'],
    ['gclid=1', 'gclid=2'],
  ])('%s is another than %s', (a, b) => {
    expect(signature(a)).toMatch(/^[0-9a-f]{16}$/)
    expect(signature(a)).not.toBe(signature(b))
  })
})

test('every channel is documented', () => {
  const text = readFileSync(join(import.meta.dirname, '../../docs/ingestion.md'), 'utf8')
  for (const [channel, meaning] of Object.entries(channels)) expect(text).toContain(`| \`${channel}\` | ${meaning}`)
})
