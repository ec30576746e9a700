/** What a provider is told to call: its route is `POST /hooks/{provider}/{endpoint}`. */
export const hookAddress = (baseUrl: string, { provider, id }: { provider: string; id: string }): string =>
  `${baseUrl}/hooks/${provider}/${id}`
