-- A list shows eleven values of a conversion, four of them lists. Looked up by key in many parts, what each column costs
-- is to be opened and found, not its bytes: as one value they cost a quarter less than the columns they are made of.
-- Times and amounts are written so that they read the same whatever the settings of whoever computes them.
ALTER TABLE credits ADD COLUMN IF NOT EXISTS shown String MATERIALIZED toJSONString(tuple(
  toString(conversion_type), toString(revenue_type), toUnixTimestamp64Milli(occurred_at), toString(net_minor),
  toString(country), toString(device), toString(channels[-1]), toString(sources[-1]),
  if(empty(touch_times), NULL, toUnixTimestamp64Milli(touch_times[1])), countEqual(directs, false),
  arrayDistinct(CAST(channels, 'Array(String)'))))
  COMMENT 'What a list shows of it, as one value: type, kind of revenue, time, net value, country, device, last channel and source, first touch, touches that are not direct, channels';
