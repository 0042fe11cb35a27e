.assert_hash
