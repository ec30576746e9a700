/** What every operation's path begins with. */
export const apiPrefix = '/api/v1'

/** An operation's path as people read it: `/api/v1/customers/{id}/journey`, without ids. */
export const pathTemplate = (url: string): string => `${apiPrefix}${url.replace(/:(\w+)/g, '{$1}')}`
