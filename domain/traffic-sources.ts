import { parse } from 'tldts'

export type SourceKind = 'search' | 'social' | 'messaging' | 'mail' | 'ai' | 'not_a_source'

export interface KnownSource {
  kind: SourceKind
  name: string
}

/** Host (its subdomains included) → the name a report shows. Longer hosts win: mail.google.com is mail, not search. */
const hosts: Record<SourceKind, Record<string, string>> = {
  search: {
    google: 'google.com google.cl com.google.android.googlequicksearchbox',
    bing: 'bing.com',
    duckduckgo: 'duckduckgo.com com.duckduckgo.mobile.android',
    yahoo: 'yahoo.com search.yahoo.co.jp',
    ecosia: 'ecosia.org',
    brave: 'search.brave.com',
    yandex: 'yandex.ru yandex.com ya.ru',
    baidu: 'baidu.com',
    qwant: 'qwant.com',
    startpage: 'startpage.com',
    naver: 'naver.com',
    daum: 'daum.net',
    seznam: 'seznam.cz',
    sogou: 'sogou.com',
    so: 'so.com',
    kagi: 'kagi.com',
    ask: 'ask.com',
    aol: 'aol.com',
    mojeek: 'mojeek.com',
    swisscows: 'swisscows.com',
    presearch: 'presearch.com',
  },
  social: {
    facebook: 'facebook.com fb.com fb.me com.facebook.katana com.facebook.lite',
    instagram: 'instagram.com com.instagram.android',
    threads: 'threads.net threads.com',
    tiktok: 'tiktok.com com.zhiliaoapp.musically',
    linkedin: 'linkedin.com lnkd.in com.linkedin.android',
    x: 'x.com twitter.com t.co com.twitter.android',
    youtube: 'youtube.com youtu.be com.google.android.youtube',
    pinterest: 'pinterest.com pin.it',
    reddit: 'reddit.com redd.it com.reddit.frontpage',
    snapchat: 'snapchat.com',
    bluesky: 'bsky.app',
    mastodon: 'mastodon.social mstdn.social',
    vk: 'vk.com',
    ok: 'ok.ru',
    weibo: 'weibo.com',
    tumblr: 'tumblr.com',
    quora: 'quora.com',
    twitch: 'twitch.tv',
    discord: 'discord.com discordapp.com',
    nextdoor: 'nextdoor.com',
    xing: 'xing.com',
    hackernews: 'news.ycombinator.com',
  },
  messaging: {
    whatsapp: 'whatsapp.com wa.me l.wl.co com.whatsapp com.whatsapp.w4b',
    messenger: 'messenger.com m.me com.facebook.orca',
    telegram: 't.me web.telegram.org org.telegram.messenger',
    line: 'line.me',
    wechat: 'weixin.qq.com',
    slack: 'slack.com com.slack',
    teams: 'teams.microsoft.com teams.live.com',
    signal: 'signal.org',
  },
  mail: {
    gmail: 'mail.google.com com.google.android.gm',
    outlook: 'outlook.live.com outlook.office.com outlook.office365.com outlook.com com.microsoft.office.outlook',
    yahoo_mail: 'mail.yahoo.com mail.yahoo.co.jp',
    aol_mail: 'mail.aol.com',
    proton: 'mail.proton.me mail.protonmail.com',
    icloud: 'icloud.com',
    zoho: 'mail.zoho.com',
    fastmail: 'fastmail.com',
    gmx: 'gmx.net gmx.com gmx.de',
    mail_ru: 'mail.ru',
    yandex_mail: 'mail.yandex.ru mail.yandex.com',
  },
  ai: {
    chatgpt: 'chatgpt.com chat.openai.com com.openai.chatgpt',
    perplexity: 'perplexity.ai ai.perplexity.app.android',
    gemini: 'gemini.google.com bard.google.com',
    copilot: 'copilot.microsoft.com copilot.cloud.microsoft',
    claude: 'claude.ai',
    deepseek: 'chat.deepseek.com deepseek.com',
    grok: 'grok.com',
    meta_ai: 'meta.ai',
    mistral: 'chat.mistral.ai',
    you: 'you.com',
    poe: 'poe.com',
    phind: 'phind.com',
    kimi: 'kimi.com',
    notebooklm: 'notebooklm.google.com',
  },
  // Places a visitor passes through in the middle of a visit: paying, proving a card, signing in.
  not_a_source: {
    payment: `paypal.com stripe.com mercadopago.com mercadopago.cl transbank.cl webpay.cl flow.cl khipu.com getnet.cl
      getnet.com klarna.com afterpay.com affirm.com adyen.com mollie.com checkout.com squareup.com pay.google.com
      pay.amazon.com payments.amazon.com worldpay.com 2checkout.com authorize.net braintreegateway.com
      pagseguro.uol.com.br pagseguro.com.br ebanx.com dlocal.com wompi.co epayco.co payu.com payulatam.com
      redsys.es fintoc.com kushkipagos.com culqi.com niubiz.com.pe sumup.com gocardless.com razorpay.com paddle.com
      cardinalcommerce.com arcot.com 3dsecure.io shop.app checkout.shopify.com pay.shopify.com tebex.io
      oneclick.cl multicaja.cl servipag.com paykit.cl tuu.cl ventipay.com conekta.com openpay.mx clip.mx`,
    sign_in: `accounts.google.com appleid.apple.com login.microsoftonline.com login.live.com auth0.com okta.com
      accounts.claveunica.gob.cl`,
  },
}

/** Brands under many country domains (google.cl, pinterest.co.uk, mercadopago.com.ar). */
const brands: Record<string, KnownSource> = {
  google: { kind: 'search', name: 'google' },
  yahoo: { kind: 'search', name: 'yahoo' },
  yandex: { kind: 'search', name: 'yandex' },
  pinterest: { kind: 'social', name: 'pinterest' },
  mercadopago: { kind: 'not_a_source', name: 'payment' },
  gmx: { kind: 'mail', name: 'gmx' },
}

/** What people write in `utm_source` for a source that has a name here. */
const aliases: Record<string, string> = {
  adwords: 'google',
  googleads: 'google',
  google_ads: 'google',
  'google-ads': 'google',
  bingads: 'bing',
  microsoft: 'bing',
  fb: 'facebook',
  meta: 'facebook',
  facebook_ads: 'facebook',
  'facebook-ads': 'facebook',
  facebookads: 'facebook',
  meta_ads: 'facebook',
  an: 'facebook',
  ig: 'instagram',
  insta: 'instagram',
  msg: 'messenger',
  twitter: 'x',
  yt: 'youtube',
  tt: 'tiktok',
  tiktok_ads: 'tiktok',
  li: 'linkedin',
  wa: 'whatsapp',
  openai: 'chatgpt',
  bard: 'gemini',
}

const byHost = new Map<string, KnownSource>()
const byName = new Map<string, KnownSource>()
for (const [kind, sources] of Object.entries(hosts) as [SourceKind, Record<string, string>][]) {
  for (const [name, list] of Object.entries(sources)) {
    const source = { kind, name }
    if (kind !== 'not_a_source') byName.set(name, source)
    for (const host of list.split(/\s+/)) byHost.set(host, source)
  }
}

/** The known source behind a host name or an app id, by its longest listed suffix. */
export function sourceOfHost(host: string): KnownSource | undefined {
  for (let rest = host; rest; rest = rest.includes('.') ? rest.slice(rest.indexOf('.') + 1) : '') {
    const found = byHost.get(rest)
    if (found) return found
  }
  if (/^(webmail|mail|correo|roundcube)\./.test(host)) return { kind: 'mail', name: host }
  return brands[parse(host).domainWithoutSuffix ?? '']
}

/** The known source behind a `utm_source`, whether written as a name, an alias or a host. */
export function sourceOfTag(tag: string): KnownSource | undefined {
  return byName.get(aliases[tag] ?? tag) ?? (tag.includes('.') ? sourceOfHost(tag) : undefined)
}

/** One site: the same registrable domain, by the public suffix list (shop.example.cl and www.example.cl). */
export function isSameSite(a: string, b: string): boolean {
  if (a === b) return true
  const domain = parse(a, { allowPrivateDomains: true }).domain
  return domain !== null && domain === parse(b, { allowPrivateDomains: true }).domain
}
