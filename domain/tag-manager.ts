const allPages = '2147479553'
// An import replaces account and container by those it goes into.
const placeholder = { accountId: '0', containerId: '0' }

/** A container in the tag manager's export format, version 2: one tag that puts the snippet on every page. */
export function tagManagerContainer(snippet: string, now: Date) {
  const fingerprint = String(now.getTime())
  return {
    exportFormatVersion: 2,
    exportTime: now.toISOString().slice(0, 19).replace('T', ' '),
    containerVersion: {
      path: 'accounts/0/containers/0/versions/0',
      ...placeholder,
      containerVersionId: '0',
      container: {
        path: 'accounts/0/containers/0',
        ...placeholder,
        name: 'Touchline',
        publicId: 'GTM-TOUCHLINE',
        usageContext: ['WEB'],
        fingerprint,
        tagManagerUrl: 'https://tagmanager.google.com/#/container/accounts/0/containers/0/workspaces?apiLink=container',
      },
      tag: [
        {
          ...placeholder,
          tagId: '1',
          name: 'Touchline tracker',
          type: 'html',
          parameter: [
            { type: 'TEMPLATE', key: 'html', value: snippet },
            { type: 'BOOLEAN', key: 'supportDocumentWrite', value: 'false' },
          ],
          fingerprint,
          firingTriggerId: [allPages],
          tagFiringOption: 'ONCE_PER_LOAD',
          monitoringMetadata: { type: 'MAP' },
          consentSettings: { consentStatus: 'NOT_SET' },
        },
      ],
      fingerprint,
      tagManagerUrl: 'https://tagmanager.google.com/#/versions/accounts/0/containers/0/versions/0?apiLink=version',
    },
  }
}
