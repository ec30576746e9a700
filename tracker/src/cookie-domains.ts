/** From the widest on. Browsers refuse the domains under which strangers register names; `''` is this host alone. */
export function domainsOf(hostname: string): string[] {
  const labels = hostname.split('.')
  const domains: string[] = []
  if (/[a-z]$/i.test(hostname)) {
    for (let count = 2; count <= labels.length; count++) domains.push(labels.slice(-count).join('.'))
  }
  return domains.concat('')
}
