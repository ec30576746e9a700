-- A reason once repeated the name of a query parameter, which may be a person's.
UPDATE hook_deliveries SET reason = 'click_ids: Invalid key in record'
WHERE reason LIKE 'click\_ids.%: Invalid key in record';
