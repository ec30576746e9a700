/** What a browser only does on its way; everything else it reports can be an outcome, if a definition says so. */
export const navigationTypes = ['page_view', 'identify'] as const

export const isNavigation = (eventType: string): boolean => (navigationTypes as readonly string[]).includes(eventType)
