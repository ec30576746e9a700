-- Rows that are looked up one by one, by ids in no order, are read a granule each: of 512 rows, but unpacked out of
-- blocks of 64 KB and more, in which thousands lie. As for facts, a block is not much larger than what one look-up needs.
ALTER TABLE credits MODIFY SETTING min_compress_block_size = 4096, max_compress_block_size = 16384;
ALTER TABLE customer_conversions MODIFY SETTING min_compress_block_size = 4096, max_compress_block_size = 16384;
ALTER TABLE customer_subjects MODIFY SETTING min_compress_block_size = 4096, max_compress_block_size = 16384;
ALTER TABLE identity_map MODIFY SETTING min_compress_block_size = 4096, max_compress_block_size = 16384;
ALTER TABLE subject_outcomes MODIFY SETTING min_compress_block_size = 4096, max_compress_block_size = 16384;
ALTER TABLE outcome_subjects MODIFY SETTING min_compress_block_size = 4096, max_compress_block_size = 16384;
