import { linkTokenParameter } from './link-tokens.ts'

/** How a token gets from the answer into the links of a tool that people send with. */
export interface LinkRecipe {
  channel: string
  store_token_in: string
  link_template: string
  merge_tag: string
  requires: string
}

const recipe = (channel: string, store_token_in: string, merge_tag: string, requires: string): LinkRecipe => ({
  channel,
  store_token_in,
  link_template: `https://www.example.com/landing?${linkTokenParameter}=${merge_tag}`,
  merge_tag,
  requires,
})

const tracker = 'the tracker on the landing page'

export const linkRecipes: readonly LinkRecipe[] = [
  recipe('mailchimp', 'an audience field with the tag SVC_T', '*|SVC_T|*', `Mailchimp audience fields, and ${tracker}`),
  recipe('klaviyo', 'a profile property svc_t', '{{ person.svc_t }}', `Klaviyo profile properties, and ${tracker}`),
  recipe('hubspot', 'a contact property svc_t', '{{ contact.svc_t }}', `HubSpot contact properties, and ${tracker}`),
  recipe('brevo', 'a contact attribute SVC_T', '{{ contact.SVC_T }}', `Brevo contact attributes, and ${tracker}`),
  recipe('activecampaign', 'a contact field SVC_T', '%SVC_T%', `ActiveCampaign custom fields, and ${tracker}`),
  recipe('sendgrid', 'dynamic template data svc_t', '{{svc_t}}', `SendGrid dynamic templates, and ${tracker}`),
  recipe('customer_io', 'a customer attribute svc_t', '{{customer.svc_t}}', `Customer.io attributes, and ${tracker}`),
  recipe(
    'whatsapp',
    'the variable of a URL button',
    '{{1}}',
    `an approved template whose URL button ends in a variable, and ${tracker}`,
  ),
  recipe('manychat', 'a user field svc_t', '{{svc_t}}', `ManyChat user fields, and ${tracker}`),
  recipe('sms', 'the contact in your own sender', '{svc_t}', `a sender that fills in placeholders, and ${tracker}`),
]
